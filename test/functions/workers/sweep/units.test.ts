import { afterAll, beforeAll, expect, test } from 'vitest';
import { consumption } from '#lib/tools/aws/cost/consumption.ts';
import { monthlyCheckCosts, totalOf } from '#lib/tools/aws/cost/costs.ts';
import { hashOf } from '#shared/domain/ids.ts';
import { newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import { dueAt } from '#shared/store/engine/due.ts';
import { items } from '#shared/store/table.ts';
import { createMetered, type Metered } from '#test/fixtures/metered.ts';

const MINUTE = 60_000;
const SENSORS = 100;
const customerId = 1_234;
/** Ids as long as maker A's, all in one shard, because each shard's units are rounded up separately. */
const idOf = (at: number): string => `id_${hashOf(`${at}`).slice(0, 23)}`;
const shard = dueAt(idOf(0), 0).duePk;
const ids = Array.from({ length: 50 * SENSORS }, (_, at) => idOf(at))
  .filter((id) => dueAt(id, 0).duePk === shard)
  .slice(0, SENSORS);

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

/** Writes the states of online sensors that have just reported. */
const report = async () => {
  const lastSeen = metered.now();
  const state = { ...newSensorState, isActive: true, isSteady: true, lastSeen, version: 1 };
  const { table } = metered.cloud.runtime;
  const put = (sensorId: string) =>
    table.write({ put: { ...state, ...items.sensorState({ customerId, sensorId }), ...dueAt(sensorId, 1) } });
  await Promise.all(ids.map(put));
};
const sweep = async (afterMs = MINUTE) => {
  const units = await metered.costOf(afterMs, metered.cloud.sweep);
  return { ...units, text: metered.ledger.text() };
};
/** Returns a sweep's units minus those of a sweep that finds nothing. */
const extraUnits = async () => {
  const { read, write, text } = await sweep();
  return { read: read - consumption.sweep.read, write: write - consumption.sweep.write, text };
};
/** The maximum units for reading all sensors' entries, rounded up once. */
const entries = Math.ceil(2 * SENSORS * consumption.entry.read) / 2;

test('a sweep that finds nothing costs 17 read units and 1 write unit', async () => {
  const { text, ...units } = await sweep();
  expect(units, text).toEqual({ read: consumption.sweep.read, write: consumption.sweep.write });
});

test('a new process uses half a read unit per online sensor', async () => {
  expect(ids).toHaveLength(SENSORS);
  await report();
  const { read, write, text } = await extraUnits();
  expect(read, text).toBeLessThanOrEqual(SENSORS * consumption.look.read + entries);
  expect({ write, lines: text.split('\n').length }, text).toEqual({ write: 0, lines: 4 });
});

test('sweeps use at most half a read unit per online sensor in five minutes', async () => {
  let total = { read: 0, write: 0, text: '' };
  for (let minute = 0; minute < 20; minute++) {
    // Reports are written as often as in production.
    if (minute % 2 === 0) await report();
    const { read, write, text } = await extraUnits();
    total = { read: total.read + read, write: total.write + write, text };
  }
  expect(total.write, total.text).toBe(0);
  expect(total.read).toBeLessThanOrEqual(20 * entries + (20 / 5) * SENSORS * consumption.look.read);
});

test('sweeps and fall checks cost at most USD 0.002 per sensor per month', () => {
  expect(totalOf(monthlyCheckCosts())).toBeLessThanOrEqual(0.002);
});
