import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler } from '#functions/workers/deliver/handler.ts';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import type { Outgoing } from '#shared/queue/encode.ts';
import { changes } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '../fixtures/home.ts';

/** Each has a memory of its own, like an environment of Lambda. */
const PROCESSES = 4;

let cloud: Cloud;
let receiver: Receiver;
let client: Awaited<ReturnType<typeof createHome>>['client'];
let customerId: number;
const messages: Outgoing[] = [];
const writes = { ofWebhook: 0 };
const seen = { now: 0, most: 0 };
/** How the receiver answers: after `ms`, with a status. */
let answer: [ms: number, code: number] = [0, 200];

beforeAll(async () => {
  receiver = await startReceiver((_, response) => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    // Counted until it is answered: the next request may be here before the connection says that this one has ended.
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
  // Messages are not put on queues of the host, but kept: the processes of this test work on them.
  const send = async (_: string, all: readonly Outgoing[]) => void messages.push(...all);
  cloud = await startTestCloud({ wrap: (runtime) => ({ ...runtime, queues: { ...runtime.queues, send } }) });
  const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  client = home.client;
  customerId = home.customerId;
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

/** A webhook with its health, and deliveries that are queued for it. */
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
  return async (batch: readonly Outgoing[]) => {
    const Records = batch.map(
      ({ body }, at) => ({ body, messageId: String(at), attributes: { ApproximateReceiveCount: '1' } }) as never,
    );
    const context = { functionName: 'deliver', timeoutSeconds: 60, clock: { now: Date.now, after: () => () => {} } };
    expect(await run({ Records }, lambdaContext(context))).toEqual({ batchItemFailures: [] });
  };
};

/** Processes all messages in several processes side by side, until there are none left. */
const workOff = async (processes: number, batchSize = 5) => {
  Object.assign(seen, { now: 0, most: 0 });
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
  return { told: receiver.received.length - before, most: seen.most, writes: writes.ofWebhook };
};

test('a healthy receiver gets five requests at a time, and one more for each further process', async () => {
  answer = [120, 200];
  await furnish(PROCESSES * 6);
  const { told, most } = await workOff(PROCESSES);
  expect(told).toBe(PROCESSES * 6);
  expect(most).toBeLessThanOrEqual(SLOTS_PER_WEBHOOK - 1 + PROCESSES);
});

test.each([
  ['fails', { consecutiveFailures: 1, failingSince: Date.now() }, 500],
  ['is slow', { slowUntil: Date.now() + 600_000 }, 200],
] as const)('a receiver that %s gets five requests at a time over all processes', async (_, health, code) => {
  answer = [120, code];
  const { key } = await furnish(PROCESSES * 5, health);
  const { told, most } = await workOff(PROCESSES);
  expect(told).toBe(PROCESSES * 5);
  expect(most).toBe(SLOTS_PER_WEBHOOK);
  const webhook = await cloud.runtime.table.get(key);
  expect(Object.keys(webhook ?? {}).filter((name) => name.startsWith('slot'))).toEqual([]);
});

test('one request at a time to a healthy receiver costs no write for its slot, and a burst costs a few', async () => {
  answer = [50, 200];
  await furnish(1, { lastSuccess: Date.now() });
  expect(await workOff(1)).toEqual({ told: 1, most: 1, writes: 0 });
  await furnish(20, { lastSuccess: Date.now() });
  const { told, most, writes } = await workOff(1, 20);
  expect({ told, most }).toEqual({ told: 20, most: SLOTS_PER_WEBHOOK });
  // Four slots are leased, and given up when they are no longer needed.
  expect(writes).toBeLessThanOrEqual(8);
});

test('a retry is sent after its delay, 20 % more or less, though its task arrives up to a second early', async () => {
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
