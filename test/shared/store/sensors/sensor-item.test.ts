import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSensor, Sensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { type Store, store } from '#shared/store/store.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';

const customerId = 7;
const id = 'id_000000001';
const made = newSensor({ id, hardwareId: '0123456789AB', manufacturer: 'maker_b', firmwareVersion: 1 }, 1);
const sensor: SensorRecord = { ...made, customerId };

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
});
afterAll(() => engine.stop());

const putSensor = async () => {
  await engine.plain.write({ put: newSensorItem(sensor) });
};
/** Returns the sensor from its item, after comparing it with the list. */
const readSensor = async () => {
  const item = await its.sensors.get(customerId, id);
  const [row] = await its.sensors.list(customerId);
  expect(Sensor.parse(row)).toEqual(Sensor.parse(item));
  return item;
};

describe('sensor activity', () => {
  test('sensor activity follows the newest report, regardless of arrival order', async () => {
    await putSensor();
    await its.sensors.setActive(customerId, id, true, 10);
    await its.sensors.setActive(customerId, id, false, 5);
    expect(await readSensor()).toMatchObject({ isActive: true, updateDate: 10 });
    await its.sensors.setActive(customerId, id, false, 10);
    expect(await readSensor()).toMatchObject({ isActive: false, updateDate: 10 });
  });

  test('sensor activity follows the newest of 20 parallel reports', async () => {
    await putSensor();
    const times = Array.from({ length: 20 }, (_, at) => (at * 7) % 20);
    await Promise.all(times.map((time) => its.sensors.setActive(customerId, id, time % 2 === 1, 100 + time)));
    expect(await readSensor()).toMatchObject({ isActive: true, updateDate: 119 });
  });

  test('setting activity does not bring back a deleted sensor', async () => {
    await its.sensors.setActive(customerId, 'id_deleted', true, 10);
    expect(await its.sensors.get(customerId, 'id_deleted')).toBeNull();
  });
});

test('parallel changes to a sensor all reach the item and the list', async () => {
  await putSensor();
  const customer = {
    id: customerId,
    name: 'n',
    location: '',
    email: '',
    timeZone: 'UTC',
    createDate: 1,
    updateDate: 1,
  };
  await its.customers.create(customer);
  const group = { id: 3, customerId, name: 'n', sensorIds: [id], createDate: 1, updateDate: 1 };
  const room = { xMin: 1, xMax: 2, yMin: 3, yMax: 4, zMax: 5 };
  const putRoom = async () => {
    for (;;) {
      const sensor = await its.sensors.get(customerId, id);
      if (sensor && (await its.rooms.put(sensor, { ...room, regions: [] } as never, []))) return;
    }
  };
  const values = (name: string) => ({ values: {}, ofSensor: { name } });
  await Promise.all([
    ...Array.from({ length: 5 }, (_, at) => its.sensors.setActive(customerId, id, true, 200 + at)),
    its.configs.put({ customerId, sensorId: id, manufacturer: 'maker_a' }, 'basic', values('By the window'), null),
    putRoom(),
    its.sensorGroups.create(group, 10),
  ]);
  const expected = { name: 'By the window', isActive: true, updateDate: 204, groupId: 3, room };
  expect(await readSensor()).toMatchObject(expected);
});
