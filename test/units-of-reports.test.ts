import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report } from '../shared/domain/rule/report.ts';
import { changes } from '../shared/store/engine/request.ts';
import { store } from '../shared/store/store.ts';
import { items } from '../shared/store/table.ts';
import { seedHits } from './fixtures/hits.ts';
import { linkSensor } from './fixtures/home.ts';
import { createMetered, type Metered, names } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

const DAY = 86_400_000;
const SENSORS = 50;
/** One fall per sensor and week, for 30 days. */
const FALLS = Math.round((SENSORS * 30) / 7);

/** Creates a home with falls from the last 30 days, each acknowledged and with feedback. */
const fallen = async () => {
  const home = await metered.furnish('maple');
  const { customerId } = home;
  const { table } = metered.cloud.runtime;
  const sensors = [home.sensorId];
  while (sensors.length < SENSORS) sensors.push((await linkSensor(home.client)).sensorId);
  const from = metered.now() - 30 * DAY;
  const log = { customerId, sensors, count: FALLS, from, stepMs: Math.floor((30 * DAY) / (FALLS + 1)) };
  for (const { id: hitId, sensorId, createDate } of await seedHits(table, log)) {
    const acknowledgement = { userId: home.customerId, name: names.sensor, date: createDate + 60_000 };
    const set = changes({ set: { acknowledgement } });
    await table.update(items.ruleHit({ customerId, hitId }), set);
    const feedback = {
      id: hitId * 1_000,
      createDate,
      updateDate: createDate,
      accountId: 1,
      sensorId,
      forwardToMakerA: false,
      referenceDate: createDate,
      reason: 'pet',
      description: names.message,
      eventId: null,
      ruleHitId: hitId,
      classification: 'FALSE_POSITIVE' as const,
    };
    expect(await store(table).feedback.create(customerId, feedback)).toBe('done');
  }
  return { ...home, from };
};

test('a report for 30 days and 50 sensors with weekly falls costs 57.5 read units and no write units', async () => {
  const { client, customerId, from } = await fallen();
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const path = `/customers/${customerId}/report?from=${day(from)}&to=${day(metered.now())}`;
  const reports: Report[] = [];
  const cost = await metered.costOf(1_000, async () => reports.push(await client.ok<Report>('GET', path)));
  const months = reports[0]?.months ?? [];
  const sum = (figure: 'falls' | 'falseAlarms' | 'acknowledged') =>
    months.reduce((all, { total }) => all + total[figure], 0);
  expect([sum('falls'), sum('falseAlarms'), sum('acknowledged')]).toEqual([FALLS, FALLS, FALLS]);
  expect(months[0]?.rooms).toHaveLength(SENSORS);
  expect(cost, metered.ledger.text()).toEqual({ read: 57.5, write: 0 });
  expect(cost.read).toBeLessThanOrEqual(200);
});
