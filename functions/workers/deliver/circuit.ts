import type { Permit } from '#shared/concurrency/semaphore.ts';
import type { SlotPool, Waiter } from '#shared/delivery/webhook-client.ts';
import {
  isHealthy,
  isNewAlarm,
  type LeaseName,
  type Passage,
  passageOf,
  SLOTS_PER_WEBHOOK,
  type SlotLease,
  type SlotName,
} from '#shared/domain/delivery/breaker.ts';
import { DEADLINE_SECONDS, withJitter } from '#shared/domain/delivery/delivery.ts';
import { hasUrl, type WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { type DeliverDeps, leaseToken, randomFraction } from './deps.ts';
import { delayBefore } from './schedule.ts';

/**
 * The minimum time (ms) that must be left to start a request. It covers the longest deadline and the writes around it.
 */
export const REQUEST_MS = (DEADLINE_SECONDS + 5) * 1_000;
/** How long (ms) a delivery waits for a permit, and then for a slot, before giving way to others. */
const ACQUIRE_TIMEOUT_MS = 5_000;
/** How long (ms) a process uses a webhook before reading it again. */
const STALE_MS = 1_000;
/** How often (ms) a delivery waiting for a slot rereads the webhook, because another process may have freed a slot. */
export const SLOT_POLL_MS = 500;

/** Returns when (ms) to next attempt a delivery that gave way to others. */
const nextTurn = (deps: DeliverDeps): number => deps.now() + Math.round((1 + randomFraction(deps)) * SLOT_POLL_MS);

/**
 * Whether a delivery may be sent: `admitted` now, with a slot; `postponed` until a time (ms); `requeued` to the
 * `retries` queue, so that its task runs again.
 */
type Admission = ({ kind: 'admitted' } & AdmittedRequest) | { kind: 'postponed'; until: number } | { kind: 'requeued' };

/** Whether a delivery is an unsent alarm, rather than a retry or a redelivery. */
const isAlarm = async (
  deps: DeliverDeps,
  { customerId, webhookId, id }: WebhookDeliveryKey,
  webhook: WebhookRecord,
): Promise<boolean> => {
  const delivery = await deps.store.deliveries.get(customerId, webhookId, id);
  if (!delivery || delivery.replay !== undefined) return false;
  return isNewAlarm(delivery.attempts, delivery.createDate + delayBefore(deps, webhook, 0) * 1_000, deps.now());
};

/** Creates the circuit breaker for a single delivery. Remembers the probe the delivery is waiting for. */
const createBreaker = (deps: DeliverDeps, key: WebhookDeliveryKey) => {
  const { now } = deps;
  let probe: Pick<WebhookRecord, 'probeUntil' | 'consecutiveFailures'> | undefined;
  let isNew: boolean | undefined;
  return async (webhook: WebhookRecord): Promise<Passage> => {
    if (webhook.openUntil === undefined) return passageOf(webhook, false, now(), randomFraction(deps));
    isNew ??= await isAlarm(deps, key, webhook);
    const isOver = probe !== undefined && webhook.probeUntil !== probe.probeUntil;
    // If the number of failures has changed, the probe failed, because a success would have closed the circuit. If not,
    // the probe was never sent.
    if (isOver && webhook.consecutiveFailures !== probe?.consecutiveFailures) {
      const delaySeconds = withJitter(delayBefore(deps, webhook, 1), randomFraction(deps));
      return { kind: 'postponed', until: now() + Math.round(delaySeconds * 1_000) };
    }
    const passage = passageOf(webhook, isNew, now(), randomFraction(deps));
    if (passage.kind === 'probe_result' && (isOver || !probe)) probe = webhook;
    return passage;
  };
};

/** Waits for a slot as long as that is better than waiting in the queue. */
const awaitSlot = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  found: WebhookRecord | null,
  { permit, timeLeft }: { permit: Permit<SlotPool>; timeLeft: () => number },
): Promise<Admission> => {
  const { store, now, pause } = deps;
  const end = now() + ACQUIRE_TIMEOUT_MS;
  const passageFor = createBreaker(deps, key);
  const waiter = createWaiter();
  permit.shared.waiters.add(waiter);
  try {
    let webhook = found;
    while (webhook?.isEnabled && hasUrl(webhook)) {
      const passage = await passageFor(webhook);
      if (passage.kind === 'postponed') return passage;
      if (timeLeft() < REQUEST_MS || now() > end) return { kind: 'postponed', until: nextTurn(deps) };
      waiter.waitsFor = passage.kind === 'probe_result' ? 'probe_result' : 'slot';
      const slot = passage.kind === 'probe_result' ? null : await acquireSlot(deps, permit, webhook, passage.kind);
      if (slot) return { kind: 'admitted', webhook, slot };
      await waiter.wait(pause(SLOT_POLL_MS));
      webhook = await store.webhooks.get(key.customerId, key.webhookId);
    }
    // The webhook was deleted or disabled, or has lost its URL.
    return { kind: 'requeued' };
  } finally {
    permit.shared.waiters.delete(waiter);
  }
};

/** Admits a delivery once it has a permit in this process and a webhook slot, and the circuit breaker allows it. */
export const passCircuit = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  webhook: WebhookWithUrl,
  { task, timeLeft }: { task: Pick<Deliver, 'isRetry' | 'isAlarm'>; timeLeft: () => number },
): Promise<Admission> => {
  const { isRetry, isAlarm } = task;
  const { store, now } = deps;
  const start = now();
  if (!isRetry && !isHealthy(webhook, start)) return { kind: 'requeued' };
  const permit = await acquirePermit(deps, webhook, isAlarm === true);
  if (!permit) return isRetry ? { kind: 'postponed', until: nextTurn(deps) } : { kind: 'requeued' };
  let isAdmitted = false;
  try {
    const isStale = now() - start > STALE_MS;
    const current = isStale ? await store.webhooks.get(key.customerId, key.webhookId) : webhook;
    const admission = await awaitSlot(deps, key, current, { permit, timeLeft });
    isAdmitted = admission.kind === 'admitted';
    return admission;
  } finally {
    // The slot releases the permit for an admitted delivery.
    if (!isAdmitted) await leave(deps, permit, webhook);
  }
};

/** The slot a webhook request occupies. */
type RequestSlot = {
  /** Frees the slot for the next request. Further calls do nothing. */
  release: () => void;
  /**
   * Runs a webhook write that also releases the leases this process no longer needs. If it fails, the next such write
   * releases them.
   */
  withUnneeded: <T>(write: (leases: LeaseName[]) => Promise<T>) => Promise<T>;
};

/** The webhook as read when the circuit breaker admitted a request, and the slot for the request. */
export type AdmittedRequest = { webhook: WebhookWithUrl; slot: RequestSlot };

/** Acquires one of the permits that limit this process's concurrent requests to a webhook. Null after a timeout. */
const acquirePermit = (
  { webhookClient, pause }: DeliverDeps,
  { id }: WebhookRecord,
  isFirst: boolean,
): Promise<Permit<SlotPool> | null> => webhookClient.acquire(id, () => pause(ACQUIRE_TIMEOUT_MS), isFirst);

/** Creates a delivery waiter. `wait` resolves when the waiter is woken or the timeout resolves. */
export const createWaiter = (): Waiter & { wait: (timeout: Promise<void>) => Promise<void> } => {
  let woken = Promise.withResolvers<void>();
  return {
    waitsFor: 'slot',
    wake: () => woken.resolve(),
    wait: (timeout) => {
      woken = Promise.withResolvers<void>();
      return Promise.race([timeout, woken.promise]);
    },
  };
};

/** Removes this process's idle leases from the pool, and returns their slots. */
const takeIdle = ({ idleLeases }: SlotPool, now: number): SlotName[] =>
  // After a lease has ended, the slot may belong to another process.
  idleLeases.splice(0).flatMap(({ slot, until }) => (until > now ? [slot] : []));

/**
 * Returns the slots this process leases but no longer needs. Each slot is returned only once. While the receiver is
 * healthy, the process keeps the slots needed for upcoming requests.
 */
const unneededSlots = ({ now }: DeliverDeps, permit: Permit<SlotPool>, webhook: WebhookRecord): SlotName[] => {
  const { shared: pool } = permit;
  const isWanted = permit.hasWaiters() || [...pool.waiters].some(({ waitsFor }) => waitsFor === 'slot');
  const isIdle = !isWanted && (permit.isEmpty() || !isHealthy(webhook, now()));
  return isIdle ? takeIdle(pool, now()) : [];
};

/** Releases the permit for a delivery that was not admitted, along with any slots kept only for that delivery. */
const leave = async (deps: DeliverDeps, permit: Permit<SlotPool>, webhook: WebhookRecord): Promise<void> => {
  permit.release();
  const slots = unneededSlots(deps, permit, webhook);
  if (slots.length > 0) await deps.store.health.release(webhook, slots);
};

/**
 * Creates a request slot from a lease. A null lease stands for the one request this process may make without a lease.
 */
const createSlot = (
  deps: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  { lease, isProbe }: { lease: SlotLease | null; isProbe: boolean },
): RequestSlot => {
  const { shared: pool } = permit;
  const unreleased: LeaseName[] = isProbe ? ['probeUntil'] : [];
  let isOver = false;
  return {
    release: () => {
      if (isOver) return;
      isOver = true;
      if (lease) pool.idleLeases.push(lease);
      else pool.hasUnleasedRequest = false;
      permit.release();
      for (const { wake } of pool.waiters) wake();
    },
    withUnneeded: async (write) => {
      const leases = [...unreleased.splice(0), ...(isOver ? unneededSlots(deps, permit, webhook) : [])];
      try {
        return await write(leases);
      } catch (error) {
        unreleased.push(...leases);
        throw error;
      }
    },
  };
};

/**
 * Releases the slots this process holds for upcoming requests, and returns the webhook with those slots free. A single
 * write starts a probe and leases a slot, so a probe cannot use an already leased slot. Without this release, alarms
 * would wait until those leases end.
 */
const releaseIdle = async (
  { store, now }: DeliverDeps,
  pool: SlotPool,
  webhook: WebhookRecord,
): Promise<WebhookRecord> => {
  const slots = takeIdle(pool, now());
  if (slots.length === 0) return webhook;
  await store.health.release(webhook, slots);
  return { ...webhook, ...Object.fromEntries(slots.map((slot) => [slot, undefined])) };
};

/** Returns a slot lease: one this process holds, if it lasts long enough or can be renewed, or else a new one. */
const leaseSlot = async (
  deps: DeliverDeps,
  pool: SlotPool,
  webhook: WebhookRecord,
  isProbe: boolean,
): Promise<SlotLease | null> => {
  const { store, now, random, aloneSince } = deps;
  const own = isProbe ? undefined : pool.idleLeases.pop();
  if (own && own.until - now() >= REQUEST_MS) return own;
  const renewed = own && own.until > now() ? await store.health.renewSlot(webhook, own, now()) : null;
  if (renewed) return renewed;
  // One slot is reserved for the requests processes make without a lease.
  const slots = isHealthy(webhook, now()) ? SLOTS_PER_WEBHOOK - 1 : SLOTS_PER_WEBHOOK;
  const token = leaseToken({ random });
  const found = isProbe ? await releaseIdle(deps, pool, webhook) : webhook;
  return store.health.takeSlot(found, now(), { slots, first: pool.searches++, isProbe, token, aloneSince });
};

/**
 * Acquires a slot for one request, or returns null if none is free. All processes share SLOTS_PER_WEBHOOK slots per
 * webhook, and every lease and release is a write. To save writes, each process makes one request at a time to a
 * healthy receiver without a lease, and one slot stays unused in return. A single process therefore makes at most
 * SLOTS_PER_WEBHOOK concurrent requests, and n processes at most SLOTS_PER_WEBHOOK - 1 + n. Once a receiver is slow or
 * failing, every request needs a lease.
 */
export const acquireSlot = async (
  deps: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  kind: 'free' | 'slot' | 'probe',
): Promise<RequestSlot | null> => {
  const { shared: pool } = permit;
  if (kind === 'free' && !pool.hasUnleasedRequest) {
    pool.hasUnleasedRequest = true;
    return createSlot(deps, permit, webhook, { lease: null, isProbe: false });
  }
  const isProbe = kind === 'probe';
  const lease = await leaseSlot(deps, pool, webhook, isProbe);
  return lease && createSlot(deps, permit, webhook, { lease, isProbe });
};

/**
 * Runs an attempt in its slot, then releases the leases this process no longer needs, even if the attempt fails.
 * Otherwise, other deliveries would wait until the leases end, and alarms would wait for the probe result.
 */
export const inSlot = async <T>(
  { store, log }: DeliverDeps,
  { webhook, slot }: AdmittedRequest,
  attempt: () => Promise<T>,
): Promise<T> => {
  const releaseLeases = () =>
    slot.withUnneeded(async (leases) => {
      if (leases.length > 0) await store.health.release(webhook, leases);
    });
  try {
    const result = await attempt().finally(slot.release);
    await releaseLeases();
    return result;
  } catch (error) {
    // The attempt may have failed because the table is unavailable. The leases expire on their own.
    await releaseLeases().catch((failure: unknown) =>
      log('warn', 'the slot of a request was not released', {}, failure),
    );
    throw error;
  }
};
