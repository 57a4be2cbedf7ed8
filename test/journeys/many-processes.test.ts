import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler } from '#functions/workers/deliver/handler.ts';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import type { QueueMessage } from '#shared/queue/encode.ts';
import { changes } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '../fixtures/home.ts';

/** The number of processes, each with separate memory like a Lambda execution environment. */
const PROCESSES = 4;

let cloud: Cloud;
let receiver: Receiver;
let client: Awaited<ReturnType<typeof createHome>>['client'];
let customerId: number;
const messages: QueueMessage[] = [];
const writes = { ofWebhook: 0 };
const seen = { now: 0, peak: 0 };
/** How the receiver responds: after `ms`, with a status. */
let answer: [ms: number, code: number] = [0, 200];

beforeAll(async () => {
  receiver = await startReceiver((_, response) => {
    seen.now += 1;
    seen.peak = Math.max(seen.peak, seen.now);
    // A request counts only until the response, because the next request may arrive before the connection reports the
    // end.
    let isOpen = true;
    const end = () => {
      if (isOpen) seen.now -= 1;
      isOpen = false;
    };
    response.once('close', end);
    const [ms, code] = answer;
    setTimeout(() => {
      end();
      response.writeHead(code).end();
    }, ms);
  });
  // Messages go to this test's processes instead of the host's queues.
  const send = async (_: string, all: readonly QueueMessage[]) => void messages.push(...all);
  cloud = await startTestCloud({ wrap: (runtime) => ({ ...runtime, queues: { ...runtime.queues, send } }) });
  const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  client = home.client;
  customerId = home.customerId;
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

/** Creates a webhook with the given health, and queues deliveries for it. */
const furnish = async (deliveries: number, health: object = {}, retrySchedule = [0]) => {
  const hook = { name: 'n', url: receiver.url, format: 'full', isCustomerHook: true, retrySchedule };
  const { id: webhookId } = await client.ok<{ id: string }>('POST', '/webhooks', hook);
  const key = items.webhook({ customerId, webhookId });
  const { table } = cloud.runtime;
  if (Object.keys(health).length > 0) await table.update(key, changes({ set: health as Record<string, unknown> }));
  const ping = () => client.ok('POST', `/webhooks/${webhookId}/test`);
  await Promise.all(Array.from({ length: deliveries }, ping));
  return { key, webhookId };
};

const startProcess = () => {
  const { runtime } = cloud;
  const update: typeof runtime.table.update = (key, ...rest) => {
    if (items.webhook.read(key)) writes.ofWebhook += 1;
    return runtime.table.update(key, ...rest);
  };
  const webhookClient = createWebhookClient(runtime.settings, { allowLoopback: true });
  const run = handler.with({
    ...runtime,
    table: { ...runtime.table, update },
    webhookClient: async () => webhookClient,
  });
  return async (batch: readonly QueueMessage[]) => {
    const Records = batch.map(
      ({ body }, at) => ({ body, messageId: String(at), attributes: { ApproximateReceiveCount: '1' } }) as never,
    );
    const context = { functionName: 'deliver', timeoutSeconds: 60, clock: { now: Date.now, after: () => () => {} } };
    expect(await run({ Records }, lambdaContext(context))).toEqual({ batchItemFailures: [] });
  };
};

/** Processes all messages in several concurrent processes. */
const processAll = async (processes: number, batchSize = 5) => {
  Object.assign(seen, { now: 0, peak: 0 });
  writes.ofWebhook = 0;
  const before = receiver.received.length;
  const all = Array.from({ length: processes }, startProcess);
  const work = async (run: (typeof all)[number]) => {
    for (let idle = 0; idle < 3; idle++) {
      const batch = messages.splice(0, batchSize);
      if (batch.length > 0) idle = -1;
      await (batch.length > 0 ? run(batch) : sleep(100));
    }
  };
  await Promise.all(all.map(work));
  return { requests: receiver.received.length - before, peak: seen.peak, writes: writes.ofWebhook };
};

test('a healthy receiver gets at most five concurrent requests, plus one per additional process', async () => {
  answer = [120, 200];
  await furnish(PROCESSES * 6);
  const { requests, peak } = await processAll(PROCESSES);
  expect(requests).toBe(PROCESSES * 6);
  expect(peak).toBeLessThanOrEqual(SLOTS_PER_WEBHOOK - 1 + PROCESSES);
});

test.each([
  ['fails', { consecutiveFailures: 1, failingSince: Date.now() }, 500],
  ['is slow', { slowUntil: Date.now() + 600_000 }, 200],
] as const)(
  'a receiver that %s gets at most five concurrent requests across all processes',
  async (_, health, code) => {
    answer = [120, code];
    const { key } = await furnish(PROCESSES * 5, health);
    const { requests, peak } = await processAll(PROCESSES);
    expect(requests).toBe(PROCESSES * 5);
    expect(peak).toBe(SLOTS_PER_WEBHOOK);
    const webhook = await cloud.runtime.table.get(key);
    expect(Object.keys(webhook ?? {}).filter((name) => name.startsWith('slot'))).toEqual([]);
  },
);

test('a single request to a healthy receiver does not lease a slot', async () => {
  answer = [50, 200];
  await furnish(1, { lastSuccess: Date.now() });
  expect(await processAll(1)).toEqual({ requests: 1, peak: 1, writes: 0 });
  await furnish(20, { lastSuccess: Date.now() });
  const { requests, peak, writes } = await processAll(1, 20);
  expect({ requests, peak }).toEqual({ requests: 20, peak: SLOTS_PER_WEBHOOK });
  // Four slots are leased, and released when they are no longer needed.
  expect(writes).toBeLessThanOrEqual(8);
});

test('a retry is never sent before it is due, even if the task arrives early', async () => {
  type Detail = { nextAttempt: number | null; attemptLog: { startDate: number }[] };
  answer = [0, 500];
  const { webhookId } = await furnish(1, {}, [0, 2]);
  const { deliveryId } = JSON.parse(messages[0]?.body ?? '') as { deliveryId: string };
  const detail = () => client.ok<Detail>('GET', `/webhooks/${webhookId}/deliveries/${deliveryId}`);
  const run = startProcess();
  const start = Date.now();
  await run(messages.splice(0));
  const { nextAttempt } = await detail();
  const wait = (nextAttempt ?? 0) - start;
  const delay = (messages[0]?.delaySeconds ?? 0) * 1_000;
  expect(delay).toBeLessThanOrEqual(wait);
  expect(delay).toBeGreaterThan(0);
  await sleep(Math.max(0, start + delay - Date.now()));
  while (messages.length > 0) await run(messages.splice(0));
  const [, second] = (await detail()).attemptLog;
  expect(second?.startDate).toBeGreaterThanOrEqual(nextAttempt ?? 0);
});
