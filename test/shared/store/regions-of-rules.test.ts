import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newSensor } from '#shared/domain/sensor/sensor.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { type Store, store } from '#shared/store/store.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';

// Races too rare to happen by chance. A rule for a region is created while a room without it is saved.

const customerId = 7;
const sensorId = 'id_000000001';
const now = 1_800_000_000_000;
/** A partial object with the fields read by the store. */
const some = (fields: object) => fields as never;
const quotas = { rules: 10, rulesOfOneSituation: 10 };
const rule = {
  id: 5,
  customerId,
  sensorId,
  sensorGroupId: null,
  regionId: 'r',
  situation: 'fall_detected',
  updateDate: now,
  isEnabled: false,
  recipients: [{ botId: 1, webhookId: 'w' }],
  escalation: [],
};

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
  const stamps = { createDate: now, updateDate: now };
  await its.customers.create({ id: customerId, name: 'n', location: '', email: '', timeZone: 'UTC', ...stamps });
  await its.bots.create(some({ id: 1, customerId }), 10);
  await its.webhooks.create(some({ id: 'w', customerId, botId: 1, format: 'full' }), 10);
  const made = newSensor({ id: sensorId, hardwareId: '0123456789AB', manufacturer: 'maker_b', firmwareVersion: 1 }, 1);
  await engine.plain.write({ put: newSensorItem({ ...made, customerId }) });
});
afterAll(() => engine.stop());

const putRoom = async (...regions: string[]): Promise<void> => {
  const sensor = await its.sensors.get(customerId, sensorId);
  const room = some({ xMin: 20, regions: regions.map((id) => ({ id })) });
  expect(sensor && (await its.rooms.put(sensor, room, []))).toBe(true);
};
beforeEach(() => putRoom('r'));

/** A store in which the region is removed right after the first read of the room. */
const losingRegion = (): Store => {
  let isPending = true;
  const { plain } = engine;
  return store({
    ...plain,
    get: async (key) => {
      const item = await plain.get<never>(key);
      if (key.sk === 'ROOM' && isPending) {
        isPending = false;
        await putRoom();
      }
      return item;
    },
  });
};

test('a rule is rejected if its region is removed during the write', async () => {
  expect(await losingRegion().rules.create(some(rule), quotas)).toBe('unknown_reference');
  expect(await its.rules.get(customerId, 5)).toBeNull();
});

test('a room is rejected if it lacks a region that a new rule uses', async () => {
  const read = await its.sensors.get(customerId, sensorId);
  expect(await its.rules.ofRegions(customerId, sensorId, ['r'])).toEqual([]);
  expect(await its.rules.create(some(rule), quotas)).toBe('done');
  expect(read && (await its.rooms.put(read, some({ xMin: 20, regions: [] }), []))).toBe(false);
  expect(await its.rules.ofRegions(customerId, sensorId, ['r'])).toMatchObject([{ id: 5 }]);
});

test('a rule change is rejected if the new region is removed during the write', async () => {
  const before = { ...rule, regionId: null, id: 6 };
  expect(await its.rules.create(some(before), quotas)).toBe('done');
  const after = some({ ...rule, id: 6, updateDate: now + 1 });
  expect(await losingRegion().rules.replace(some(before), after, 10)).toBe('changed');
  expect(await its.rules.replace(some(before), after, 10)).toBe('unknown_reference');
  expect(await its.rules.get(customerId, 6)).toMatchObject({ regionId: null });
});
