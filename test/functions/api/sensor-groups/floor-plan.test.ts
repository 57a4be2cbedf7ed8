import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { store } from '#shared/store/store.ts';
import { rejectedPaths } from '#test/fixtures/answers.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, hireFor, linkSensor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
let admin: Awaited<ReturnType<typeof adminOf>>;
beforeAll(async () => {
  cloud = await startTestCloud();
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'plans', ALL_PERMISSIONS);
});
afterAll(() => cloud.stop());

const empty = { width: 40, height: 20, rooms: [] };
const room = (sensorId: string, more: object = {}) => ({ sensorId, x: 4.25, y: 0.5, rotation: 270, ...more });

/** Creates a group with new sensors. */
const ward = async (count: number) => {
  const sensors = [];
  for (let at = 0; at < count; at++) sensors.push((await linkSensor(home.client)).sensorId);
  const { id } = await home.client.ok<{ id: number }>('POST', '/sensor-groups', { name: 'Ward', sensorIds: sensors });
  return { sensors, id, group: `/sensor-groups/${id}`, path: `/sensor-groups/${id}/plan` };
};

describe("a group's floor plan", () => {
  test('a floor plan omits rooms that have not been placed', async () => {
    const { path, sensors } = await ward(2);
    expect(await home.client.ok('GET', path)).toEqual(empty);
    const plan = { width: 42.5, height: 18, rooms: sensors.map((id, at) => room(id, { x: at + 0.125 })) };
    const echoed = { ...plan, groupId: 7, rooms: plan.rooms.map((one) => ({ ...one, name: 'Room 1' })) };
    expect(await home.client.ok('PUT', path, echoed)).toEqual(plan);
    expect(await home.client.ok('GET', path)).toEqual(plan);
    expect(await home.client.ok('PUT', path, { ...plan, rooms: [] })).toEqual({ ...plan, rooms: [] });
    expect(await home.client.ok('GET', path)).toEqual({ ...plan, rooms: [] });
  });

  test('a floor plan can be read by every user and changed with manage_sensors', async () => {
    const { path } = await ward(0);
    const { client } = await hireFor(admin, home.customerId, 'reader', { firstName: 'A', lastName: 'B' });
    expect(await client.ok('GET', path)).toEqual(empty);
    expect((await client.call('PUT', path, empty)).status).toBe(403);
  });

  test('a floor plan shows a room only while the sensor belongs to the group', async () => {
    const { path, group, sensors } = await ward(2);
    const [a = '', b = ''] = sensors;
    const plan = { ...empty, rooms: [room(a), room(b)] };
    await home.client.ok('PUT', path, plan);
    await home.client.ok('PUT', group, { name: 'Ward', sensorIds: [b] });
    expect(await home.client.ok('GET', path)).toEqual({ ...empty, rooms: [room(b)] });
    expect(rejectedPaths(await home.client.call('PUT', path, plan))).toEqual([400, 'rooms.0.sensorId']);
    await home.client.ok('PUT', group, { name: 'Ward', sensorIds: [a, b] });
    expect(await home.client.ok('GET', path)).toEqual(plan);
  });

  test('returns 400 for a floor plan with a sensor placed twice or outside the plan', async () => {
    const { path, sensors } = await ward(2);
    const [a = '', b = ''] = sensors;
    const put = async (rooms: unknown[], more: object = {}) =>
      rejectedPaths(await home.client.call('PUT', path, { ...empty, ...more, rooms }));
    expect(await put([room(a), room(b), room(a)])).toEqual([400, 'rooms.2.sensorId']);
    expect(await put([room(a, { x: 40.01 }), room(b, { y: 20.01 })])).toEqual([400, 'rooms.0.x', 'rooms.1.y']);
    expect(await put([room(a, { x: 40, y: 20 })])).toEqual([200]);
    expect(await put([room(a, { x: -0.1, rotation: 361 })])).toEqual([400, 'rooms.0.x', 'rooms.0.rotation']);
    expect(await put([], { width: 0.5, height: 1_001 })).toEqual([400, 'width', 'height']);
    expect(await put(Array.from({ length: 201 }, () => room(a)))).toEqual([400, 'rooms']);
  });

  test('deleting the group deletes the floor plan', async () => {
    const { id, path, group, sensors } = await ward(1);
    await home.client.ok('PUT', path, { ...empty, rooms: sensors.map((sensorId) => room(sensorId)) });
    await home.client.ok('DELETE', group);
    expect((await home.client.call('GET', path)).status).toBe(404);
    expect((await home.client.call('PUT', path, empty)).status).toBe(404);
    const { floorPlans } = store(cloud.runtime.table);
    expect(await floorPlans.get({ customerId: home.customerId, groupId: id })).toBeNull();
    expect(await floorPlans.put({ customerId: home.customerId, groupId: id }, empty)).toBe(false);
  });
});
