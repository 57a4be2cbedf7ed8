import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { logTo } from '#shared/observability/log.ts';
import { type Measure, noMetrics } from '#shared/observability/metrics.ts';
import { changes } from '#shared/store/engine/request.ts';
import { DATA_VERSION, items } from '#shared/store/table.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';

let cloud: Cloud;
const measured: unknown[][] = [];
const lines: { level: string; message: string }[] = [];
beforeAll(async () => {
  const measure = (...args: unknown[]) => void measured.push(args);
  cloud = await startTestCloud({
    log: logTo((line) => lines.push(JSON.parse(line))),
    wrap: (runtime) => ({ ...runtime, metrics: { ...noMetrics, measure: measure as Measure } }),
  });
});
afterAll(() => cloud.stop());
const heartbeat = () => cloud.runtime.table.get<{ dataVersion: number }>(items.heartbeat({}));
const errors = () => lines.filter(({ level }) => level === 'error').map(({ message }) => message);

test('the sweep records the data version', async () => {
  await cloud.sweep();
  expect(await heartbeat()).toMatchObject({ dataVersion: DATA_VERSION });
  expect(errors()).toEqual([]);
  expect(measured.filter(([name]) => name === 'TasksFailed')).toEqual([]);
});

test('an older code version reports newer data', async () => {
  await cloud.runtime.table.update(items.heartbeat({}), changes({ set: { dataVersion: DATA_VERSION + 1 } }));
  await cloud.sweep();
  expect(await heartbeat()).toMatchObject({ dataVersion: DATA_VERSION + 1 });
  expect(measured).toContainEqual(['TasksFailed', 1, { worker: 'sweep', kind: 'outdated' }]);
  await cloud.sweep();
  // An alarm that is always on would hide other failures.
  expect(measured.filter(([name]) => name === 'TasksFailed')).toHaveLength(1);
  expect(errors()).toContain('the table holds data that only a newer version understands: deploy that version');
});
