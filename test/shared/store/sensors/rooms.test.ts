import { expect, test } from 'vitest';
import { now, some } from '#test/fixtures/store-items.ts';
import { createSensors, HOME, stateWith } from '#test/fixtures/store-sensors.ts';

const key = { customerId: HOME, sensorId: 'id_a' };
const region = (id: number, positionIdx: number) => ({
  id,
  positionIdx,
  name: `region ${id}`,
  kind: 'bed',
  xMin: 0,
  xMax: 1,
  yMin: 0,
  yMax: 1,
});
const room = (...regions: object[]) =>
  some({ xMin: -1, xMax: 2, yMin: 0, yMax: 3, zMin: 0, zMax: 2, regions, updateDate: now });
const start = async () => {
  const world = await createSensors();
  await world.move(0, 'id_a', HOME);
  const sensor = async () =>
    some({ ...(await world.its.sensors.get(HOME, 'id_a')) }) as { revision: number; room: object };
  const put = async (stored: ReturnType<typeof room>, before: object[] = [], read?: object) =>
    world.its.rooms.put(some(read ?? (await sensor())), stored, before.map(some));
  return { ...world, sensor, put };
};

test("replacing a sensor's room updates the copy in the sensor as well", async () => {
  const { its, sensor, put } = await start();
  expect(await its.rooms.get(HOME, 'id_a')).toBeNull();
  expect(await put(room(region(1, 0)))).toBe(true);
  expect(await its.rooms.get(HOME, 'id_a')).toMatchObject({ xMax: 2, regions: [region(1, 0)] });
  expect((await sensor()).room).toMatchObject({ xMin: -1, yMax: 3, regions: [{ id: 1, positionIdx: 0 }] });
});

test("a sensor's room cannot be replaced if the sensor has changed since it was read", async () => {
  const { its, sensor, put } = await start();
  const read = await sensor();
  await put(room(region(1, 0)));
  expect(await put(room(), [], read)).toBe(false);
  expect(await its.rooms.get(HOME, 'id_a')).toMatchObject({ regions: [region(1, 0)] });
});

test('presence in a region is kept when the region number changes', async () => {
  const { its, once, put } = await start();
  const decide = (version: number, fields: object) =>
    its.states.decide(key, version, stateWith({ version, ...fields }));
  await decide(0, { inside: [0, 1] });
  const stored = () => its.states.get(HOME, 'id_a');
  const before = [region(1, 0), region(2, 1)];
  await put(room(...before), before);
  expect(await stored()).toMatchObject({ version: 1, inside: [0, 1] });
  await put(room(region(2, 0)), before);
  expect(await stored()).toMatchObject({ version: 2, inside: [0] });
  once('TransactWriteCommand', () => decide(2, { inside: [9] }));
  expect(await put(room(region(2, 1)), [region(2, 0)])).toBe(false);
});

test("a group's floor plan is replaced as a whole, if the group exists", async () => {
  const { its } = await start();
  const plan = { width: 10, height: 5, rooms: [{ sensorId: 'id_a', x: 1, y: 2 }] };
  expect(await its.floorPlans.put({ customerId: HOME, groupId: 9 }, some(plan))).toBe(false);
  expect(await its.floorPlans.get({ customerId: HOME, groupId: 9 })).toBeNull();
  const group = { id: 9, customerId: HOME, name: 'g', sensorIds: [], createDate: now, updateDate: now };
  await its.sensorGroups.create(some(group), 10);
  expect(await its.floorPlans.put({ customerId: HOME, groupId: 9 }, some(plan))).toBe(true);
  expect(await its.floorPlans.get({ customerId: HOME, groupId: 9 })).toEqual(plan);
});
