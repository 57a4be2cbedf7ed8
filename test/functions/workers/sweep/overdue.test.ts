import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { handler } from '#functions/workers/sweep/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { type Measure, noMetrics } from '#shared/observability/metrics.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { dueAt } from '#shared/store/engine/due.ts';
import { items } from '#shared/store/table.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';

const MINUTE = 60_000;
const customerId = 7;
const context = lambdaContext({ functionName: 'sweep', timeoutSeconds: 60, clock: systemClock });

let cloud: Cloud;
let runtime: Runtime;
let now = Date.now();
let overdue: unknown[] = [];
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { ...unscheduled, now: () => now }, log: () => {} });
  const measure = ((name: string, value: number) => {
    if (name === 'TasksOverdue') overdue.push(value);
  }) as Measure;
  // Nothing is processed, so everything stays due.
  const queues = { ...cloud.runtime.queues, send: async () => {} };
  runtime = { ...cloud.runtime, queues, metrics: { ...noMetrics, measure } };
});
afterAll(() => cloud.stop());
beforeEach(() => {
  overdue = [];
});

const put = (hitId: number, time: number) =>
  cloud.runtime.table.write({ put: { ...items.ruleHit({ customerId, hitId }), ...dueAt(String(hitId), time) } });

test('counts an item only once when it is 15 minutes overdue', async () => {
  const sweep = handler.with(runtime);
  const passAndSweep = async (minutes: number) => {
    now += minutes * MINUTE;
    await sweep({} as never, context);
  };
  await put(1, now);
  await passAndSweep(14);
  expect(overdue).toEqual([]);
  await passAndSweep(2);
  await passAndSweep(1);
  expect(overdue).toEqual([1]);
  await put(2, now);
  await put(3, now);
  for (const _ of Array(40)) await passAndSweep(1);
  expect(overdue).toEqual([1, 2]);
});
