import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handler } from '#functions/workers/sweep/handler.ts';
import { createResendHistory } from '#functions/workers/sweep/resend-history.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { hashOf } from '#shared/domain/ids.ts';
import { type Measure, noMetrics } from '#shared/observability/metrics.ts';
import type { QueueMessage } from '#shared/queue/encode.ts';
import { workQueues } from '#shared/queue/names.ts';
import { dueAt } from '#shared/store/engine/due.ts';
import { DUE_SHARDS, items } from '#shared/store/table.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '#test/fixtures/home.ts';

let ahead = 0;
let cloud: Cloud;
const messages: QueueMessage[] = [];
/** Called when messages are sent to a queue. Throws if the queue is unavailable. */
let accept: () => void = () => {};
const measured: unknown[][] = [];
const measure = (...args: unknown[]) => void measured.push(args);
beforeAll(async () => {
  const send = async (_: string, sent: readonly QueueMessage[]) => {
    accept();
    messages.push(...sent);
  };
  cloud = await startTestCloud({
    clock: {
      ...systemClock,
      now: () => Date.now() + ahead,
      after: (ms, run) => (ms < 1_000 ? systemClock.after(ms, run) : () => {}),
    },
    log: () => {},
    // No task reaches a consumer.
    wrap: (runtime) => ({
      ...runtime,
      queues: { ...runtime.queues, send },
      metrics: { ...noMetrics, measure: measure as Measure },
    }),
  });
});
afterAll(() => cloud.stop());

describe('the sweep', () => {
  test('the sweep waits longer each time before it enqueues a delivery again', async () => {
    const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
    const hook = { name: 'n', url: 'http://127.0.0.1:9/', format: 'full', isCustomerHook: true };
    const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', hook);
    accept = () => {
      throw new Error('the queue is unavailable');
    };
    await home.client.ok('POST', `/webhooks/${id}/test`);
    accept = () => {};
    const sentAfter = async (seconds: number) => {
      messages.length = 0;
      ahead += seconds * 1_000;
      await cloud.sweep();
      return messages.length;
    };
    expect(await sentAfter(20)).toBe(0);
    expect(await sentAfter(15)).toBe(1);
    expect([await sentAfter(5), await sentAfter(40)]).toEqual([0, 0]);
    expect(await sentAfter(10)).toBe(1);
    expect(await sentAfter(90)).toBe(0);
    expect(await sentAfter(20)).toBe(1);
    // A task that no queue accepted is enqueued by the next sweep.
    accept = () => {
      throw new Error('the queue is unavailable');
    };
    measured.length = 0;
    expect(await sentAfter(300)).toBe(0);
    expect(measured).toContainEqual(['TasksFailed', 1, { worker: 'sweep', kind: 'queue' }]);
    accept = () => {};
    expect(await sentAfter(1)).toBe(1);
  });

  test('the sweep redrives dead letters every 15 minutes if the table responds', async () => {
    let redriven = 0;
    const { runtime } = cloud;
    const queues = { ...runtime.queues, redrive: async () => void redriven++ };
    const context = lambdaContext({ functionName: 'sweep', timeoutSeconds: 60, clock: systemClock });
    const sweepAt = (minutes: number, more = {}) =>
      handler.with({ ...runtime, queues, now: () => runtime.now() + minutes * 60_000, ...more })({} as never, context);
    const downTable = { ...runtime.table, get: () => Promise.reject(new Error('unavailable')) };
    for (const minute of [100, 101, 110, 114]) await sweepAt(minute);
    expect(redriven).toBe(workQueues.length);
    await expect(sweepAt(116, { table: downTable })).rejects.toThrow();
    expect(redriven).toBe(workQueues.length);
    await sweepAt(117);
    expect(redriven).toBe(2 * workQueues.length);
  });
});

describe('the history of resent tasks', () => {
  test('a task can be resent after at most 15 minutes', () => {
    const { isTime, tidy } = createResendHistory();
    let now = 0;
    const waits = Array.from({ length: 8 }, () => {
      const begin = now;
      while (!isTime('a', now)) now += 1_000;
      return now - begin;
    });
    expect(waits).toEqual([0, 50, 100, 200, 400, 800, 900, 900].map((seconds) => seconds * 1_000));
    tidy(now + 2 * 900_000 + 1);
    expect(isTime('a', now)).toBe(true);
  });
});

describe('a sweep that runs out of time', () => {
  // Each sweep reads one page of two items. Shards have five items each.
  const SHARDS = DUE_SHARDS;
  const each = 5;
  const page = 2;
  // Hashed like real ids, because sequential ids would leave some shards empty.
  const idOf = (at: number) =>
    hashOf(`${at}`)
      .toLowerCase()
      .replaceAll(/[^0-9a-z]/g, '0')
      .padEnd(26, '0');
  const shardOf = (id: string) => dueAt(id, 0).duePk;
  const candidates = Array.from({ length: 2_000 }, (_, at) => idOf(at));
  const ids = [...Map.groupBy(candidates, shardOf).values()].flatMap((ofShard) => ofShard.slice(0, each));

  test('the next sweep continues with the shards that the previous one did not reach', async () => {
    const { runtime } = cloud;
    const webhook = { customerId: 1, webhookId: '00000000-0000-4000-8000-000000000001' };
    const write = (deliveryId: string) =>
      runtime.table.write({ put: { ...items.delivery({ ...webhook, deliveryId }), ...dueAt(deliveryId, 1) } });
    await Promise.all(ids.map(write));
    const query = ((input) => runtime.table.query({ ...input, limit: page })) as typeof runtime.table.query;
    const sweepOnce = handler.with({ ...runtime, table: { ...runtime.table, query } });
    const context = lambdaContext({ functionName: 'sweep', timeoutSeconds: 60, clock: systemClock });
    const hurried = { ...context, getRemainingTimeInMillis: () => 1 };
    const sent = () =>
      new Set(
        messages
          .map(({ body }) => (JSON.parse(body) as { deliveryId: string }).deliveryId)
          .filter((id) => ids.includes(id)),
      );
    messages.length = 0;
    expect(ids.length).toBe(SHARDS * each);
    for (let sweep = 0; sweep < SHARDS; sweep++) await sweepOnce({} as never, hurried);
    expect(new Set([...sent()].map((id) => shardOf(id))).size).toBe(SHARDS);
    for (let sweep = SHARDS; sweep < SHARDS * Math.ceil(each / page); sweep++) await sweepOnce({} as never, hurried);
    expect(sent().size).toBe(ids.length);
    // Items still due are enqueued again once a sweep has run to the end.
    messages.length = 0;
    ahead += 3_600_000;
    for (let sweep = 0; sweep < 2; sweep++) await sweepOnce({} as never, context);
    expect(sent().size).toBe(ids.length);
  });
});
