import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { Rule } from '#shared/domain/rule/rule.ts';
import { defaultRoom } from '#shared/domain/sensor/room-geometry.ts';
import { type Store, store } from '#shared/store/store.ts';
import { concurrently, rejectedPaths, statusOf } from '#test/fixtures/answers.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let receiver: Receiver;
let admin: Client;
let stores: Store;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud(), startReceiver()]);
  admin = await adminOf(cloud.url);
  stores = store(cloud.runtime.table);
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

let falls = 0;
/** Reports a separate fall from a sensor. Returns how many hits the customer has after processing. */
const fall = async (client: Client, customerId: number, sensor: { sensorId: string; device: Client }) => {
  const message = fallMessage('calling', Date.now() - 1_000 * ++falls);
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
  await cloud.idle();
  const [page] = await client.ok<{ total: number }[]>('GET', `/customers/${customerId}/rule-hits`);
  return page?.total;
};

describe('changing a rule', () => {
  test('a moved rule fires for the new sensor', async () => {
    const { client, customerId } = await createHome(admin, 'ivy', ALL_PERMISSIONS);
    const here = await linkSensor(client);
    const there = await linkSensor(client);
    const { rule } = await createAlarm(client, receiver.url);
    const path = `/rules/${rule.id}`;
    const total = (sensor: typeof here) => fall(client, customerId, sensor);
    expect([await total(here), await total(there)]).toEqual([1, 2]);
    const read = await client.ok('GET', path);
    const ignored = { id: 7, customerId: 7, createDate: 7, sensorId: there.sensorId };
    const moved = await client.ok('PUT', path, { ...read, ...ignored });
    expect({ ...moved, updateDate: 0 }).toEqual({ ...read, sensorId: there.sensorId, updateDate: 0 });
    expect(await client.ok('GET', path)).toEqual(moved);
    expect([await total(here), await total(there)]).toEqual([2, 3]);
    await client.ok('DELETE', path);
    expect([await total(there), await statusOf(client.call('GET', path))]).toEqual([3, 404]);
  });

  test('50 concurrent requests to move a rule do not duplicate the rule', async () => {
    const { client, customerId } = await createHome(admin, 'juniper', ALL_PERMISSIONS);
    const sensors = [await linkSensor(client), await linkSensor(client)];
    const { rule } = await createAlarm(client, receiver.url);
    const read = await client.ok('GET', `/rules/${rule.id}`);
    const statuses = await concurrently(50, (at) => {
      const target = { sensorId: sensors[at % 3]?.sensorId ?? null, situation: at % 2 ? 'empty_room' : 'bed_left' };
      return statusOf(client.call('PUT', `/rules/${rule.id}`, { ...read, ...target, name: `n ${at}` }));
    });
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const left = await stores.rules.list(customerId);
    expect(left).toHaveLength(1);
    expect(left.map((item) => Rule.parse(item))).toMatchObject([await client.ok('GET', `/rules/${rule.id}`)]);
  });

  test('a deleted rule stays deleted if it is updated concurrently', async () => {
    const { client, customerId } = await createHome(admin, 'larch', ALL_PERMISSIONS);
    const { rule } = await createAlarm(client, receiver.url);
    const read = await client.ok('GET', `/rules/${rule.id}`);
    const act = (at: number) =>
      at % 2
        ? client.call('DELETE', `/rules/${rule.id}`)
        : client.call('PUT', `/rules/${rule.id}`, { ...read, situation: 'bed_left' });
    const deletions = (await concurrently(50, (at) => statusOf(act(at)))).filter((_, at) => at % 2);
    expect(deletions.filter((status) => status === 200)).toHaveLength(1);
    expect(deletions.filter((status) => ![200, 404, 503].includes(status))).toEqual([]);
    expect(await stores.rules.list(customerId)).toEqual([]);
    expect(await statusOf(client.call('GET', `/rules/${rule.id}`))).toBe(404);
  });

  test("returns 400 for a rule about a region missing from the sensor's room", async () => {
    const { client } = await createHome(admin, 'maple', ALL_PERMISSIONS);
    const sensor = await linkSensor(client);
    const other = await linkSensor(client);
    const bed = { kind: 'bed', name: 'Bed', topLeftX: -100, topLeftY: 300, bottomRightX: 0, bottomRightY: 100 };
    const room = { ...defaultRoom, regions: [bed] };
    const { regions } = await client.ok<{ regions: { id: string }[] }>('PUT', `/sensors/${sensor.sensorId}/room`, room);
    const regionId = regions[0]?.id;
    const { rule } = await createAlarm(client, receiver.url, 'bed_left');
    const read = await client.ok('GET', `/rules/${rule.id}`);
    for (const [method, path] of [
      ['POST', '/rules'],
      ['PUT', `/rules/${rule.id}`],
    ] as const) {
      const send = (target: object) => client.call(method, path, { ...read, ...target, customerId: undefined });
      expect(rejectedPaths(await send({ regionId, sensorId: null }))).toEqual([400, 'regionId']);
      expect(rejectedPaths(await send({ regionId, sensorId: other.sensorId }))).toEqual([400, 'regionId']);
      expect((await send({ regionId, sensorId: sensor.sensorId })).status).toBeLessThan(300);
    }
  });
});
