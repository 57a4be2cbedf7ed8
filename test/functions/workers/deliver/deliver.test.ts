import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliver as contract } from '#functions/workers/deliver/contract.ts';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { deliver } from '#functions/workers/deliver/handler.ts';
import { Deliver } from '#shared/queue/task.ts';
import { composeDeps, type Runtime } from '#shared/runtime/deps.ts';
import { items } from '#shared/store/table.ts';
import { createDeliveryWorld, status } from '#test/fixtures/deliveries.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
let deps: DeliverDeps;
/** The delivery tasks, which the tests process instead of a worker. */
const tasks: Deliver[] = [];
beforeAll(async () => {
  let runtime: Runtime | undefined;
  const wrap = (hostRuntime: Runtime): Runtime => {
    const send: Runtime['queues']['send'] = async (queue, messages) => {
      if (queue !== 'deliveries' && queue !== 'retries') return hostRuntime.queues.send(queue, messages);
      tasks.push(...messages.map(({ body }) => Deliver.parse(JSON.parse(body))));
    };
    runtime = { ...hostRuntime, queues: { ...hostRuntime.queues, send } };
    return runtime;
  };
  world = await createDeliveryWorld({ wrap, log: () => {} });
  if (!runtime) throw new Error('the host has no runtime');
  deps = await composeDeps(runtime, contract.uses);
});
afterAll(() => world.stop());

/** Creates a home with one delivery, and the delivery task. */
const furnish = async (hook: object = {}) => {
  const home = await world.furnish(hook);
  const { hasSecretKey: _, health: __, ...webhook } = await home.client.ok<Record<string, unknown>>('GET', home.at);
  // A sweep may enqueue deliveries from earlier tests at any time.
  const enqueued = () => tasks.filter(({ webhookId }) => webhookId === webhook.id);
  tasks.length = 0;
  await home.client.ok('POST', `${home.at}/test`);
  const [task = expect.unreachable()] = enqueued();
  tasks.length = 0;
  const run = (more: Partial<Deliver> = {}) => deliver(deps, { ...task, ...more }, () => 60_000);
  const state = async () => {
    const [delivery] = await home.kept();
    return [delivery?.state, delivery?.reason, delivery?.attempts];
  };
  return {
    ...home,
    task,
    enqueued,
    run,
    state,
    put: (more: object) => home.client.ok('PUT', home.at, { ...webhook, ...more }),
  };
};

test('requeues a task that arrives more than a second early', async () => {
  const { run, state, receiver, enqueued } = await furnish();
  const notBefore = world.now() + 5_000;
  expect(await run({ notBefore })).toBe('requeued');
  expect(enqueued()).toMatchObject([{ isRetry: true, notBefore }]);
  expect([receiver.received.length, await state()]).toEqual([0, ['pending', null, 0]]);
});

test('attempts a delivery at once if its task is scheduled implausibly far ahead', async () => {
  const { run } = await furnish();
  expect(await run({ notBefore: world.now() + 11_000 })).toBe('delivered');
});

test('fails a delivery whose webhook was deleted', async () => {
  const { run, state, task, customerId } = await furnish();
  await world.table.write({ remove: items.webhook({ customerId, webhookId: task.webhookId ?? '' }) });
  expect(await run()).toBe('failed');
  expect(await state()).toEqual(['failed', 'deleted', 0]);
});

test('leaves a delivery pending if the receiver has to fetch it', async () => {
  const { run, state, put } = await furnish();
  await put({ url: null });
  expect(await run()).toBe('pending');
  expect(await state()).toEqual(['pending', null, 0]);
});

test('holds a delivery whose webhook is disabled', async () => {
  const { run, state, put } = await furnish();
  await put({ isEnabled: false });
  expect([await run(), await run()]).toEqual(['held', 'held']);
  expect(await state()).toEqual(['held', 'webhook_disabled', 0]);
});

test('postpones a first attempt if the retry schedule delays it', async () => {
  const { run, kept, receiver, enqueued } = await furnish({ retrySchedule: [60, 60] });
  expect(await run()).toBe('postponed');
  const [{ createDate } = expect.unreachable(), ...more] = await kept();
  expect([more, receiver.received]).toEqual([[], []]);
  expect(enqueued()).toMatchObject([{ isRetry: true, notBefore: Number(createDate) + 60_000 }]);
});

test('moves a first attempt to a failing receiver to the retry queue', async () => {
  const { run, set, task, receiver, enqueued } = await furnish();
  await set({ consecutiveFailures: 1, failingSince: world.now() });
  expect(await run()).toBe('requeued');
  expect(enqueued()).toEqual([{ ...task, isRetry: true }]);
  expect(receiver.received).toEqual([]);
});

test('postpones a retry while the circuit is open', async () => {
  const { run, set, state, receiver, enqueued } = await furnish();
  // After a minute a delivery no longer counts as a new alarm.
  await world.pass(61_000);
  tasks.length = 0;
  const openUntil = world.now() + 60_000;
  await set({ consecutiveFailures: 10, failingSince: world.now(), openUntil });
  expect(await run({ isRetry: true })).toBe('postponed');
  expect(enqueued()).toMatchObject([{ isRetry: true }]);
  expect(enqueued()[0]?.notBefore).toBeGreaterThanOrEqual(openUntil);
  expect([receiver.received, await state()]).toEqual([[], ['pending', null, 0]]);
});

test('requeues a delivery that another task has leased', async () => {
  const { run, receiver } = await furnish();
  const open = Promise.withResolvers<void>();
  world.answerWith((response) => void open.promise.then(() => response.end()));
  const first = run();
  await receiver.until(1);
  expect(await run()).toBe('requeued');
  open.resolve();
  expect(await first).toBe('delivered');
  expect(receiver.received).toHaveLength(1);
});

test('sends nothing for a delivery that has already ended', async () => {
  const { run, receiver } = await furnish();
  expect([await run(), await run()]).toEqual(['delivered', 'delivered']);
  expect(receiver.received).toHaveLength(1);
});

test('fails a delivery after the last attempt returns a 500 response', async () => {
  const { run, state } = await furnish({ retrySchedule: [0, 10] });
  world.answerWith(status(500, ''));
  expect(await run()).toBe('retrying');
  expect(await state()).toEqual(['retrying', null, 1]);
  world.skip(13_000);
  expect(await run({ isRetry: true })).toBe('failed');
  expect(await state()).toEqual(['failed', 'exhausted', 2]);
});
