import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { PageOf } from '#shared/domain/page.ts';
import { deviceIdOf, newSensor, type Sensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { createLedger } from '#test/bench/meter.ts';
import { startCountedCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';

const MANY = 10_000;
const START = 1_700_000_000_000;

const ledger = createLedger();
let cloud: Cloud;
let big: Awaited<ReturnType<typeof createHome>>;
let small: Awaited<ReturnType<typeof createHome>>;
let all: SensorRecord[];

/** Creates sensors that differ in every sorted field, in no particular order. */
const createSensors = (customerId: number, count: number): SensorRecord[] =>
  Array.from({ length: count }, (_, at): SensorRecord => {
    const mixed = (at * 7_919) % count;
    const hardwareId = (0xa0_0000_0000_00 + mixed + customerId * 100_000).toString(16).padStart(12, '0').toUpperCase();
    const manufacturer = at % 3 === 0 ? 'maker_b' : 'maker_a';
    const randomId = `id_${(mixed + customerId * 100_000).toString(36).toUpperCase().padStart(9, '0')}`;
    const id = manufacturer === 'maker_a' ? deviceIdOf(hardwareId) : randomId;
    return {
      ...newSensor({ id, hardwareId, manufacturer, firmwareVersion: at % 60 }, START + ((at * 31) % count)),
      customerId,
      name: `${at % 2 ? 'room' : 'Room'} ${(at * 17) % 4_001}, ${at % 5 ? 'bed' : 'Türe'}`,
      updateDate: START + count + ((at * 13) % 997),
      isActive: at % 4 === 0,
    };
  });

/** Writes sensors directly to the table, because registering 10,000 devices is not under test. */
const seed = async (sensors: readonly SensorRecord[]): Promise<void> => {
  const { table } = cloud.runtime;
  for (let at = 0; at < sensors.length; at += 500)
    await Promise.all(
      Array.from({ length: 5 }, (_, part) => sensors.slice(at + part * 100, at + part * 100 + 100)).map((hundred) =>
        hundred.length === 0 ? null : table.write(...hundred.map((sensor) => ({ put: newSensorItem(sensor) }))),
      ),
    );
};

beforeAll(async () => {
  cloud = await startCountedCloud(ledger);
  const admin = await adminOf(cloud.url);
  [big, small] = [await createHome(admin, 'big', []), await createHome(admin, 'small', [])];
  all = createSensors(big.customerId, MANY);
  await seed([...all, ...createSensors(small.customerId, 100)]);
});
afterAll(async () => {
  await cloud.stop();
});

const list = async (home: typeof big, query: string) => {
  ledger.clear();
  const [page] = await home.client.ok<PageOf<Sensor>[]>('GET', `/sensors?${query}`);
  if (!page) throw new Error('no page');
  return { page, cost: ledger.total() };
};

const byText = new Intl.Collator('en', { sensitivity: 'base' }).compare;
const orders: Record<string, (a: SensorRecord, b: SensorRecord) => number> = {
  id: () => 0,
  name: (a, b) => byText(a.name, b.name),
  isActive: (a, b) => Number(a.isActive) - Number(b.isActive),
  createDate: (a, b) => a.createDate - b.createDate,
  updateDate: (a, b) => a.updateDate - b.updateDate,
};
const byId = (a: SensorRecord, b: SensorRecord) => (a.id < b.id ? -1 : 1);

describe('listing 10,000 sensors', () => {
  for (const [field, order] of Object.entries(orders))
    for (const [direction, sign] of [['asc', 1] as const, ['desc', -1] as const])
      test(`sorts 10,000 sensors by ${direction}(${field}) with at most 200 read units`, async () => {
        const expected = all.toSorted((a, b) =>
          field === 'id' ? sign * byId(a, b) : sign * order(a, b) || byId(a, b),
        );
        for (const page of [0, 49]) {
          const query = `sortBy=${direction}(${field})&perPage=200&page=${page}`;
          const { page: got, cost } = await list(big, query);
          expect({ ...got, data: got.data.map(({ id }) => id) }).toEqual({
            total: MANY,
            page,
            perPage: 200,
            data: expected.slice(page * 200, (page + 1) * 200).map(({ id }) => id),
          });
          expect(cost.read, ledger.text()).toBeLessThanOrEqual(200);
        }
      });

  test('searches 10,000 sensors with at most 200 read units', async () => {
    const [sensor] = all.slice(4_711);
    for (const searchText of ['TÜRE', sensor?.hardwareId.toLowerCase() ?? '', sensor?.id ?? '']) {
      const { page, cost } = await list(big, `perPage=200&searchText=${encodeURIComponent(searchText)}`);
      const expected = all.filter((sensorRecord) =>
        [sensorRecord.id, sensorRecord.name, sensorRecord.hardwareId].some((text) =>
          text.toLowerCase().includes(searchText.toLowerCase()),
        ),
      );
      expect(page.total).toBe(expected.length);
      expect(cost.read, ledger.text()).toBeLessThanOrEqual(200);
    }
  });

  test('the sensor list shows the same data as a GET request for each sensor', async () => {
    const { page } = await list(big, 'perPage=3&page=100&isActive=true');
    for (const sensor of page.data) expect(await big.client.ok('GET', `/sensors/${sensor.id}`)).toEqual(sensor);
  });
});

test('listing 100 sensors costs at most 4 read units, including authentication', async () => {
  const { page, cost } = await list(small, 'perPage=200');
  expect(page.data).toHaveLength(100);
  expect(cost.read, ledger.text()).toBeLessThanOrEqual(4);
});

describe('a row in the sensor list', () => {
  test('a listed sensor shows current settings, activity, customer and firmware', async () => {
    const admin = await adminOf(cloud.url);
    const home = await createHome(admin, 'rows', ['manage_sensors', 'edit_sensor_config']);
    const { sensorId, device } = await linkSensor(home.client);
    const same = async () => {
      const { page } = await list(home, '');
      expect(page.data).toEqual([await home.client.ok('GET', `/sensors/${sensorId}`)]);
      return page.data[0];
    };
    expect(await same()).toMatchObject({ customerId: home.customerId, isActive: false, firmwareVersion: 42 });
    const path = `/sensors/${sensorId}/maker_a/config/basic`;
    const basic = await home.client.ok('GET', path);
    await home.client.ok('PUT', path, { ...basic, name: 'By the window', optimizationEnabled: false });
    expect(await same()).toMatchObject({ name: 'By the window', optimizationEnabled: false });
    await device.ok('POST', `/devices/${sensorId}/messages`, { type: 4, payload: { presenceDetected: true } });
    await cloud.idle();
    expect(await same()).toMatchObject({ name: 'By the window', isActive: true });
  });
});
