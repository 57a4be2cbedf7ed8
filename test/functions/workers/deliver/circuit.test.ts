import { describe, expect, test } from 'vitest';
import { acquireSlot, inSlot, passCircuit } from '#functions/workers/deliver/circuit.ts';
import type { DeliverDeps } from '#functions/workers/deliver/deps.ts';
import { createWebhookSemaphore, type SlotPool } from '#shared/delivery/webhook-client.ts';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import type { WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { ACCEPTED, customerId } from '#test/fixtures/delivery-stubs.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';
import { attempt, toWebhook, webhook } from '#test/fixtures/webhook-attempts.ts';

const key = { customerId, webhookId: 'w1', id: 'd1' };
const healthy: WebhookWithUrl = some(webhook);
const failing = { ...healthy, consecutiveFailures: 1 };
const lease = { slot: 'slot1', until: NOW + 30_000, token: 't' } as const;

/**
 * Creates a process's permits for a webhook, with what `takeSlot` returns, one call after the other. The last entry
 * repeats.
 */
const createProcess = (slots: readonly (object | null)[] = [lease], more: object = {}) => {
  const semaphore = createWebhookSemaphore();
  const calls: [name: string, ...unknown[]][] = [];
  const left = [...slots];
  const health = {
    takeSlot: async (...args: unknown[]) => {
      calls.push(['takeSlot', ...args]);
      return left.length > 1 ? left.shift() : left[0];
    },
    release: async (_: object, names: readonly string[]) => void calls.push(['release', ...names]),
  };
  const store = { health, webhooks: { get: async () => failing }, ...more };
  const { deps } = stubDeps<DeliverDeps>(store, { aloneSince: 5, webhookClient: semaphore });
  Object.assign(deps.settings, { RETRY_SCHEDULE: [] });
  /** Acquires a permit, or null if none is free. */
  const permit = () => semaphore.acquire('w1', async () => {});
  const held = async () => (await permit()) ?? expect.unreachable();
  const pass = (of: WebhookWithUrl = failing, changed: Partial<DeliverDeps> = {}) =>
    passCircuit({ ...deps, ...changed }, key, of, { task: { isRetry: true }, timeLeft: () => 30_000 });
  const named = (name: string) => calls.filter(([call]) => call === name).map(([, ...args]) => args);
  return { deps, permit, held, pass, named };
};

describe('permits', () => {
  test('an admitted delivery keeps its permit until its slot is released', async () => {
    const { pass, permit } = createProcess();
    const admission = await pass();
    if (admission.kind !== 'admitted') throw new Error(`the delivery is ${admission.kind}`);
    expect(admission.webhook).toBe(failing);
    const others = await Promise.all(Array.from({ length: SLOTS_PER_WEBHOOK }, permit));
    expect(others.filter((other) => other === null)).toHaveLength(1);
    admission.slot.release();
    expect(await permit()).not.toBeNull();
  });

  test('a delivery whose slot cannot be acquired gives its permit back', async () => {
    const takeSlot = () => Promise.reject(new Error('the table does not answer'));
    const { pass, permit } = createProcess([], { health: { takeSlot } });
    await expect(pass()).rejects.toThrow('the table does not answer');
    expect(await Promise.all(Array.from({ length: SLOTS_PER_WEBHOOK }, permit))).not.toContain(null);
  });

  test('a delivery without a permit gives way: a retry for less than a second, a first attempt to the retry queue', async () => {
    const webhookClient = { acquire: async () => null };
    const retry = await attempt({ task: { isRetry: true }, deps: { webhookClient } });
    expect([retry.outcome, retry.named('postpone')[0]?.[1]]).toEqual(['postponed', NOW + 502]);
    const first = await attempt({ deps: { webhookClient } });
    expect(first.outcome).toBe('requeued');
    expect(first.enqueued).toEqual([[[{ ...first.task, isRetry: true }], 0]]);
  });

  test('alarms get permits before other deliveries', async () => {
    const asked: unknown[] = [];
    const acquire = async (...args: unknown[]) => {
      asked.push(args[2]);
      return null;
    };
    await attempt({ task: { isAlarm: true }, deps: { webhookClient: { acquire } } });
    await attempt({ deps: { webhookClient: { acquire } } });
    expect(asked).toEqual([true, false]);
  });
});

describe('deliveries waiting for a slot', () => {
  /** Lets a delivery wait, looks at the waiter, and wakes it. */
  const wakeOne = async ({ held, pass }: ReturnType<typeof createProcess>, of: WebhookWithUrl) => {
    const other = await held();
    const waiting = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    const pause = () => {
      waiting.resolve();
      return never;
    };
    const passed = pass(of, { pause });
    await Promise.race([waiting.promise, passed]);
    const [waiter] = other.shared.waiters;
    const waitsFor = waiter?.waitsFor;
    waiter?.wake();
    const { kind } = await passed;
    return { waitsFor, kind, left: other.shared.waiters.size };
  };

  test('a delivery waits for a slot, and is woken when one may be free', async () => {
    const woken = await wakeOne(createProcess([null, lease]), failing);
    expect(woken).toEqual({ waitsFor: 'slot', kind: 'admitted', left: 0 });
  });

  test("a new alarm waits for the probe's result, and is woken when there is one", async () => {
    const deliveries = { get: async () => toWebhook({ attempts: 0, createDate: NOW }) };
    const open = { ...failing, consecutiveFailures: 10, openUntil: NOW + 30_000, probeUntil: NOW + 20_000 };
    const woken = await wakeOne(createProcess([lease], { deliveries }), open);
    expect(woken).toEqual({ waitsFor: 'probe_result', kind: 'admitted', left: 0 });
  });
});

describe('probes', () => {
  const open = { ...webhook, consecutiveFailures: 10, openUntil: NOW + 30_000, pendingSince: ACCEPTED + 1 };
  const probed = { ...open, probeUntil: NOW + 20_000 };
  const alarm = toWebhook({ attempts: 0, createDate: NOW });
  const task = { isRetry: true };

  test('a new alarm becomes the next probe if the current one was never sent', async () => {
    const { outcome, named } = await attempt({ webhooks: [probed, open], delivery: alarm, task });
    expect(outcome).toBe('delivered');
    expect(named('takeSlot')).toMatchObject([[open, NOW + 500, { isProbe: true }]]);
  });

  test('a new alarm keeps waiting while an earlier request fails during the probe', async () => {
    const failed = { ...probed, consecutiveFailures: 11 };
    expect((await attempt({ webhooks: [probed, failed, webhook], delivery: alarm, task })).outcome).toBe('delivered');
    // When the probe is over and the circuit is still open, the alarm is postponed.
    const over = { ...open, consecutiveFailures: 11 };
    expect((await attempt({ webhooks: [probed, failed, over], delivery: alarm, task })).outcome).toBe('postponed');
  });

  test('a new alarm waits for a probe that another delivery began first', async () => {
    const failed = { ...probed, consecutiveFailures: 11 };
    const webhooks = [open, failed, webhook];
    const { outcome, named } = await attempt({ webhooks, delivery: alarm, task, slot: null });
    expect([outcome, named('takeSlot').length]).toEqual(['delivered', 1]);
  });

  test('an alarm delayed by the retry schedule is new when it is due', async () => {
    const delivery = toWebhook({ attempts: 0, createDate: NOW - 119_000 });
    const webhooks = [{ ...open, retrySchedule: [60] }];
    expect((await attempt({ webhooks, delivery, task })).named('takeSlot')).toMatchObject([
      [{}, NOW, { isProbe: true }],
    ]);
    const old = toWebhook({ attempts: 0, createDate: NOW - 120_000 });
    expect((await attempt({ webhooks, delivery: old, task })).outcome).toBe('postponed');
  });
});

describe('slots', () => {
  test('a process makes one request at a time to a healthy receiver without a lease', async () => {
    const { deps, held, named } = createProcess();
    const first = await acquireSlot(deps, await held(), healthy, 'free');
    const second = await acquireSlot(deps, await held(), healthy, 'free');
    // The fifth slot is for the requests without a lease.
    expect(named('takeSlot')).toMatchObject([[healthy, NOW, { slots: 4, isProbe: false }]]);
    const permits = [await held(), await held()] as const;
    first?.release();
    await acquireSlot(deps, permits[0], healthy, 'free');
    expect(named('takeSlot')).toHaveLength(1);
    expect(second).not.toBeNull();
  });

  test('every request to a failing receiver needs one of five slots', async () => {
    const { deps, held, named } = createProcess();
    await acquireSlot(deps, await held(), failing, 'slot');
    expect(named('takeSlot')).toMatchObject([[failing, NOW, { slots: 5, isProbe: false }]]);
  });

  /** Returns the slots that are released after a request, given the state of the process's pool. */
  const releasedWith = async (change: (pool: SlotPool) => void, of = healthy, isLast = true) => {
    const { deps, held } = createProcess();
    const permit = await held();
    if (!isLast) await held();
    const slot = (await acquireSlot(deps, permit, of, 'slot')) ?? expect.unreachable();
    change(permit.shared);
    slot.release();
    return slot.withUnneeded(async (leases) => leases);
  };

  test('a process releases its slots once its last request to a receiver has ended', async () => {
    expect(await releasedWith(() => {})).toEqual(['slot1']);
    expect(await releasedWith(() => {}, healthy, false)).toEqual([]);
    // A failing receiver needs a slot for every request, so other processes may need this one.
    expect(await releasedWith(() => {}, failing, false)).toEqual(['slot1']);
  });

  test('a process keeps its slots for deliveries that wait for one, but not for those waiting for a probe', async () => {
    const waiting = (waitsFor: 'slot' | 'probe_result') => (pool: SlotPool) =>
      void pool.waiters.add({ waitsFor, wake: () => {} });
    expect(await releasedWith(waiting('slot'))).toEqual([]);
    expect(await releasedWith(waiting('probe_result'))).toEqual(['slot1']);
  });

  test('a process does not release a slot whose lease has ended, because another process may have it', async () => {
    const ended = (pool: SlotPool) => void pool.idleLeases.push({ slot: 'slot2', until: NOW, token: 't' });
    expect(await releasedWith(ended)).toEqual(['slot1']);
  });

  test('a single unneeded slot is released, after a request and after waiting', async () => {
    const used = createProcess();
    const admission = await used.pass();
    if (admission.kind !== 'admitted') throw new Error(`the delivery is ${admission.kind}`);
    await inSlot(used.deps, admission, async () => {});
    expect(used.named('release')).toEqual([['slot1']]);
    const waited = createProcess([null]);
    const other = await waited.held();
    other.shared.idleLeases.push({ slot: 'slot2', until: NOW + 60_000, token: 't' });
    expect((await waited.pass({ ...failing, isEnabled: false })).kind).toBe('requeued');
    expect(waited.named('release')).toEqual([['slot2']]);
  });
});
