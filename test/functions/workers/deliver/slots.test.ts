import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { acquireSlot, createWaiter, inSlot, passCircuit, REQUEST_MS } from '#functions/workers/deliver/circuit.ts';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { tableClient } from '#lib/local/table/client.ts';
import { openStorage } from '#lib/local/table/storage.ts';
import { createWebhookSemaphore } from '#shared/delivery/webhook-client.ts';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import { createTable } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';

const never = new Promise<void>(() => {});
/** Stands in for an object from which only these fields are read. */
const partial = (fields: object) => fields as never;

test('a finished request wakes waiting deliveries', async () => {
  const permit = await createWebhookSemaphore().acquire('w', () => never);
  if (!permit) throw new Error('there is no permit');
  const slot = await acquireSlot(partial({ now: () => 0 }), permit, partial({ consecutiveFailures: 0 }), 'free');
  const waiters = [createWaiter(), createWaiter()];
  for (const waiter of waiters) permit.shared.waiters.add(waiter);
  const woken = Promise.all(waiters.map(({ wait }) => wait(never)));
  slot?.release();
  expect(await woken).toHaveLength(2);
});

test('a wake-up before a delivery starts waiting has no effect', async () => {
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

/** Creates a webhook that has failed nine times, and the store that holds it. */
const furnish = async () => {
  const storage = openStorage(':memory:', { freezes: true });
  const now = () => 1_800_000_000_000;
  const { webhooks, customers, bots, health, deliveries } = store(
    createTable(tableClient(storage.rows, storage.turns, 'alone', now), 'alone'),
  );
  await customers.create(partial({ id: 7 }));
  await bots.create(partial({ id: 1, customerId: 7 }), 100);
  const webhook = { id: 'w', customerId: 7, botId: 1, url: 'u', isEnabled: true, consecutiveFailures: 9 };
  await webhooks.create(partial(webhook), 100);
  return {
    now,
    store: { webhooks, health, deliveries },
    read: async () => (await webhooks.get(7, 'w')) ?? expect.unreachable(),
    stop: () => storage.close(),
  };
};
/** The failure that opens the circuit. */
const opening = (now: number) => ({ openUntil: now + 60_000, isGone: false, isLost: false, since: now, begun: null });

test('a probe gets a slot even if this process holds all of them', async () => {
  const { now, store: tables, read, stop } = await furnish();
  const { health } = tables;
  const deps = partial({ store: { health }, now, random: () => Buffer.alloc(16), aloneSince: 0 });
  const semaphore = createWebhookSemaphore();
  const permitOf = async () => (await semaphore.acquire('w', () => never)) ?? expect.unreachable();
  const slots = [];
  for (let at = 0; at < SLOTS_PER_WEBHOOK; at++)
    slots.push((await acquireSlot(deps, await permitOf(), await read(), 'slot')) ?? expect.unreachable());
  const next = permitOf();
  for (const slot of slots) slot.release();
  const permit = await next;
  // The completed requests' slots are kept, because a delivery is waiting for a slot.
  permit.shared.waiters.add(createWaiter());
  const failing = await read();
  for (const slot of slots) await slot.withUnneeded((leases) => health.failed(failing, now(), opening(now()), leases));
  expect(permit.shared.idleLeases).toHaveLength(SLOTS_PER_WEBHOOK);
  expect(await acquireSlot(deps, permit, await read(), 'probe')).not.toBeNull();
  await stop();
});

test('a process reuses its slot, renews a lease that ends too soon, and takes a new one once it has ended', async () => {
  const { now, store: tables, read, stop } = await furnish();
  const { health } = tables;
  let passed = 0;
  const writes: string[] = [];
  const counted: Pick<typeof health, 'renewSlot' | 'takeSlot'> = {
    renewSlot: (...values) => {
      writes.push('renew');
      return health.renewSlot(...values);
    },
    takeSlot: (...values) => {
      writes.push('take');
      return health.takeSlot(...values);
    },
  };
  const time = { now: () => now() + passed, random: () => Buffer.alloc(16), aloneSince: 0 };
  const semaphore = createWebhookSemaphore();
  const permitOf = async () => (await semaphore.acquire('w', () => never)) ?? expect.unreachable();
  // The slots are kept while another delivery has a permit.
  await permitOf();
  /** Simulates a request, and returns the lease it used. */
  const request = async () => {
    const permit = await permitOf();
    const slot = await acquireSlot(partial({ store: { health: counted }, ...time }), permit, await read(), 'slot');
    slot?.release();
    return permit.shared.idleLeases.at(-1) ?? expect.unreachable();
  };
  const first = await request();
  passed = first.until - now() - REQUEST_MS;
  expect(await request()).toEqual(first);
  passed += 1;
  const renewed = await request();
  expect(renewed.slot).toBe(first.slot);
  expect(renewed.until).toBeGreaterThan(first.until);
  passed = renewed.until - now();
  expect((await request()).until).toBeGreaterThan(renewed.until);
  expect(writes).toEqual(['take', 'renew', 'take']);
  await stop();
});

test('an open circuit that postpones deliveries frees their slots at once', async () => {
  const { now, store: tables, read, stop } = await furnish();
  const semaphore = createWebhookSemaphore();
  let waited = 0;
  const deps: DeliverDeps = partial({
    store: tables,
    now: () => now() + waited,
    pause: () => never,
    random: () => Buffer.alloc(16),
    aloneSince: 0,
    webhookClient: semaphore,
  });
  const permitOf = async () => (await semaphore.acquire('w', () => never)) ?? expect.unreachable();
  const slots = [];
  for (let at = 0; at < SLOTS_PER_WEBHOOK; at++)
    slots.push((await acquireSlot(deps, await permitOf(), await read(), 'slot')) ?? expect.unreachable());
  const retry = { customerId: 7, webhookId: 'w', id: 'd' };
  const webhook = await read();
  const waiting = Array.from({ length: 2 * SLOTS_PER_WEBHOOK }, () =>
    passCircuit(deps, retry, { ...webhook, url: 'u' }, { task: { isRetry: true }, timeLeft: () => 30_000 }),
  );
  await tables.health.failed(webhook, now(), opening(now()), []);
  // After more than a second, they reread their webhook.
  waited = 2_000;
  for (const slot of slots) slot.release();
  for (const slot of slots) expect(await slot.withUnneeded(async (leases) => leases)).toEqual([]);
  const kinds = (await Promise.all(waiting)).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['postponed']));
  const left = await read();
  expect(Object.keys(left).filter((name) => name.startsWith('slot'))).toEqual([]);
  await stop();
});

describe('an attempt that throws', () => {
  /** Runs an attempt as an open circuit's probe. Returns the remaining leases, the error, and the log lines. */
  const probe = async (
    attempt: (slot: Parameters<typeof inSlot>[1]['slot']) => Promise<void>,
    failingRelease?: () => Promise<void>,
  ) => {
    const { now, store: tables, read, stop } = await furnish();
    await tables.health.failed(await read(), now(), opening(now()), []);
    const health = { ...tables.health, ...(failingRelease && { release: failingRelease }) };
    const logged: string[] = [];
    const log = (_: string, text: string) => void logged.push(text);
    const deps = partial({ store: { health }, now, log, random: () => Buffer.alloc(16), aloneSince: 0 });
    const permit = (await createWebhookSemaphore().acquire('w', () => never)) ?? expect.unreachable();
    const slot = (await acquireSlot(deps, permit, await read(), 'probe')) ?? expect.unreachable();
    const leases = async () => Object.keys(await read()).filter((name) => /^(slot\d+|probe)/.test(name));
    expect(await leases()).toHaveLength(4);
    const webhook = { ...(await read()), url: 'u' };
    const error = await inSlot(deps, { webhook, slot }, () => attempt(slot)).catch((thrown: unknown) => thrown);
    const left = await leases();
    await stop();
    return { error, left, logged };
  };
  const first = new Error('the key service does not answer');

  test('an attempt that throws an error releases its slot and the probe at once', async () => {
    expect(await probe(() => Promise.reject(first))).toEqual({ error: first, left: [], logged: [] });
  });

  test('an unrecorded attempt releases its slot and the probe at once', async () => {
    const record = async (slot: Parameters<typeof inSlot>[1]['slot']) => {
      slot.release();
      await slot.withUnneeded(() => Promise.reject(first));
    };
    expect(await probe(record)).toEqual({ error: first, left: [], logged: [] });
  });

  test('an attempt throws its own error even if its slot cannot be released', async () => {
    const release = () => Promise.reject(new Error('the table does not answer'));
    const { error, left, logged } = await probe(() => Promise.reject(first), release);
    expect([error, left.length, logged]).toEqual([first, 4, ['the slot of a request was not released']]);
  });
});
