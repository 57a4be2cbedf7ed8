import { expect, test } from 'vitest';
import { defaultDurations } from '#shared/domain/config/durations.ts';
import { MAX_ACKNOWLEDGED_MS } from '#shared/domain/event/open-fall.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';
import { createSensors, HOME, stateWith } from '#test/fixtures/store-sensors.ts';

const fallKey = now.toString(36);
const confirmed = { start: now, phases: ['confirmed'], at: now };
const by = { userId: 4, name: 'Anna', date: now + 60_000 };
const start = async (falls: object[] = [{ ...confirmed, phases: ['confirmed', 'calling'] }], ids = ['id_a']) => {
  const { its, table, register, move } = await createSensors();
  for (const id of ids) {
    if (id !== 'id_a') await register(id, id);
    await move(0, id, HOME);
    await its.states.decide({ customerId: HOME, sensorId: id }, 0, stateWith({ falls: falls.map(some) }));
  }
  const page = (at = now + 60_000, query = { page: 0, perPage: 10 }) => its.openFalls.page(HOME, query, at);
  const openFalls = async (at?: number) => (await page(at)).data.flatMap((sensor) => sensor.falls);
  const event = (number: number, at: number, fields: object = {}) =>
    some({ id: firstIdAt(at) + number, uuid: uuid(number), source: null, receiveDate: at, type: 'fall', ...fields });
  const add = (...events: ReturnType<typeof event>[]) => its.events.add(HOME, 'id_a', events);
  return { its, table, page, falls: openFalls, event, add };
};

test('open falls include a location, and the first event once it exists', async () => {
  const { page, falls, event, add } = await start();
  expect(await page()).toMatchObject({
    total: 1,
    page: 0,
    perPage: 10,
    data: [
      { sensorId: 'id_a', name: 'id_a', falls: [{ uuid: null, regionName: '', fallState: 'calling', since: now }] },
    ],
  });
  await add(
    event(1, now - 1, { fall: fallKey }),
    event(2, now, { fall: fallKey, region: { index: 1, name: 'Bath' } }),
    event(3, now + 1, { fall: 'other' }),
  );
  expect(await falls()).toMatchObject([{ uuid: uuid(2), regionName: 'Bath', acknowledgement: null }]);
});

test('open falls are matched with the right event among many others', async () => {
  const { falls, event, add } = await start();
  const others = (from: number, at: number) => Array.from({ length: 8 }, (_, n) => event(from + n, at + n));
  await add(event(1, now, { fall: fallKey }), ...others(10, now + 10), ...others(20, now + 20));
  expect(await falls()).toMatchObject([{ uuid: uuid(1) }]);
  const late = await start();
  await late.add(...others(10, now), ...others(20, now + 10), late.event(1, now + 90, { fall: fallKey }));
  expect(await late.falls()).toMatchObject([{ uuid: uuid(1) }]);
});

test('open falls name who acknowledged them, for two hours or until closed', async () => {
  const { its, falls } = await start([{ ...confirmed, isAcknowledged: true }]);
  const ref = { customerId: HOME, sensorId: 'id_a', fall: fallKey };
  expect(await falls()).toMatchObject([{ acknowledgement: null }]);
  await its.falls.acknowledge(ref, by);
  const end = by.date + MAX_ACKNOWLEDGED_MS;
  expect([await falls(end - 1), await falls(end)]).toMatchObject([[{ acknowledgement: by }], []]);
  await its.falls.close(ref, { outcome: 'helped' }, by);
  expect(await falls()).toEqual([]);
});

test('suspected falls show when they will become alarms, depending on the sensor configuration', async () => {
  const alarmBy = async (falls: object[], values?: object) => {
    const { table, falls: list } = await start(falls);
    const config = items.config({ customerId: HOME, sensorId: 'id_a', name: 'critical' });
    if (values) await table.write({ put: { ...config, values } });
    return (await list())[0]?.alarmBy ?? null;
  };
  const { confirmedToAlertTimeoutSec: usual } = defaultDurations;
  const at = (await alarmBy([confirmed])) ?? 0;
  expect(at).toBeGreaterThanOrEqual(now + usual * 1_000);
  expect(await alarmBy([confirmed], { confirmedToAlertTimeoutSec: usual + 5 })).toBe(at + 5_000);
  expect(await alarmBy([{ ...confirmed, phases: ['confirmed', 'calling'] }])).toBeNull();
});

test('open falls are listed by sensor, one page at a time, excluding deleted sensors and states', async () => {
  const ids = ['id_a', 'id_b', 'id_c'];
  const { its, table, page } = await start(undefined, ids);
  const pageOf = async (number: number, perPage: number) => {
    const { total, data } = await page(now, { page: number, perPage });
    return [total, data.map(({ sensorId }) => sensorId)];
  };
  expect([await pageOf(0, 2), await pageOf(1, 2), await pageOf(2, 2)]).toEqual([
    [3, ['id_a', 'id_b']],
    [3, ['id_c']],
    [3, []],
  ]);
  await table.write({ remove: items.sensor({ customerId: HOME, sensorId: 'id_b' }) });
  expect(await pageOf(0, 3)).toEqual([3, ['id_a', 'id_c']]);
  const ended = { ...confirmed, phases: ['confirmed', 'finished'] };
  await its.states.decide({ customerId: HOME, sensorId: 'id_a' }, 1, stateWith({ version: 1, falls: [some(ended)] }));
  expect(await pageOf(0, 3)).toEqual([2, ['id_c']]);
  expect((await its.openFalls.page(HOME + 1, { page: 0, perPage: 3 }, now)).total).toBe(0);
});
