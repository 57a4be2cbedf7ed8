import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { acquireSlot, createWaiter } from '#functions/workers/deliver/circuit.ts';
import { tableClient } from '#lib/local/table/client.ts';
import { openStorage } from '#lib/local/table/storage.ts';
import { createWebhookSemaphore } from '#shared/delivery/webhook-client.ts';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';

const never = new Promise<void>(() => {});
/** Stands in for an object of which only these fields are read. */
const partial = (fields: object) => fields as never;

test('wakes waiting deliveries when a request ends', async () => {
  const permit = await createWebhookSemaphore().acquire('w', () => never);
  if (!permit) throw new Error('there is no permit');
  const slot = await acquireSlot(partial({ now: () => 0 }), permit, partial({ consecutiveFailures: 0 }), 'free');
  const waiters = [createWaiter(), createWaiter()];
  for (const waiter of waiters) permit.shared.waiters.add(waiter);
  const woken = Promise.all(waiters.map(({ wait }) => wait(never)));
  slot?.release();
  expect(await woken).toHaveLength(2);
});

test('a delivery that was woken earlier still waits until its timeout', async () => {
  const waiter = createWaiter();
  waiter.wake();
  const timeout = Promise.withResolvers<void>();
  let isOver = false;
  const waited = waiter.wait(timeout.promise).then(() => {
    isOver = true;
  });
  await setImmediate();
  expect(isOver).toBe(false);
  timeout.resolve();
  await waited;
});

test('a probe gets a slot although this process holds all of them for requests that wait', async () => {
  const storage = openStorage(':memory:', { freezes: true });
  const now = () => 1_800_000_000_000;
  const { webhooks, customers, bots, health } = store(
    createTable(tableClient(storage.rows, storage.turns, 'alone', now), 'alone'),
  );
  await customers.create(partial({ id: 7 }));
  await bots.create(partial({ id: 1, customerId: 7 }), 100);
  await webhooks.create(partial({ id: 'w', customerId: 7, botId: 1, url: 'u', consecutiveFailures: 9 }), 100);
  const read = async () => (await webhooks.get(7, 'w')) ?? expect.unreachable();
  const deps = partial({ store: { health }, now, random: () => Buffer.alloc(16), aloneSince: 0 });
  const semaphore = createWebhookSemaphore();
  const permitOf = async () => (await semaphore.acquire('w', () => never)) ?? expect.unreachable();
  const slots = [];
  for (let at = 0; at < SLOTS_PER_WEBHOOK; at++)
    slots.push((await acquireSlot(deps, await permitOf(), await read(), 'slot')) ?? expect.unreachable());
  const next = permitOf();
  for (const slot of slots) slot.release();
  const permit = await next;
  // The slots of the ended requests are kept, because a delivery waits for one.
  permit.shared.waiters.add(createWaiter());
  const failure = { openUntil: now() + 60_000, isGone: false, isLost: false, since: now(), begun: null };
  await health.failed(
    await read(),
    now(),
    failure,
    slots.flatMap((slot) => slot.unneeded()),
  );
  expect(permit.shared.idleLeases).toHaveLength(SLOTS_PER_WEBHOOK);
  expect(await acquireSlot(deps, permit, await read(), 'probe')).not.toBeNull();
  await storage.close();
});
