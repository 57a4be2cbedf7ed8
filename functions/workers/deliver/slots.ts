import type { Permit } from '#shared/concurrency/semaphore.ts';
import type { SlotPool, Waiter } from '#shared/delivery/webhook-client.ts';
import { isHealthy, type LeaseName, SLOTS_PER_WEBHOOK, type SlotLease } from '#shared/domain/delivery/breaker.ts';
import { DEADLINE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { type DeliverDeps, leaseToken } from './deps.ts';

/** The time (ms) that must be left to start a request: the longest deadline, and the writes around it. */
export const REQUEST_MS = (DEADLINE_SECONDS + 5) * 1_000;
/** How long (ms) a delivery waits for a permit, and then for a slot, before it gives way to others. */
export const ACQUIRE_TIMEOUT_MS = 5_000;

/** The slot that a request to a webhook occupies. */
export type RequestSlot = {
  /** Frees the slot for the next request. Further calls do nothing. */
  release: () => void;
  /**
   * Returns the leases that this process no longer needs, each of them once. The next write to the webhook releases
   * them.
   */
  unneeded: () => LeaseName[];
};

/** The webhook as it was when its circuit breaker admitted a request, and the slot of the request. */
export type AdmittedRequest = { webhook: WebhookWithUrl; slot: RequestSlot };

/** Acquires one of the permits that limit this process's concurrent requests to a webhook. Null after a timeout. */
export const acquirePermit = (
  { webhookClient, pause }: DeliverDeps,
  { id }: WebhookRecord,
): Promise<Permit<SlotPool> | null> => webhookClient.acquire(id, () => pause(ACQUIRE_TIMEOUT_MS));

/** Creates a delivery that waits in this process. `wait` resolves when it is woken, or with the timeout. */
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

/** Creates the slot of a request from its lease; null stands for the one request of this process without a lease. */
const createSlot = (
  { now }: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  { lease, isProbe }: { lease: SlotLease | null; isProbe: boolean },
): RequestSlot => {
  const { shared: pool } = permit;
  const probe: LeaseName[] = isProbe ? ['probeUntil'] : [];
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
    unneeded: () => {
      const isWanted = permit.hasWaiters() || [...pool.waiters].some(({ waitsFor }) => waitsFor === 'slot');
      // While the receiver is healthy, this process keeps the slots that its next requests need.
      const isIdle = isOver && !isWanted && (permit.isEmpty() || !isHealthy(webhook, now()));
      const idle = isIdle ? pool.idleLeases.splice(0) : [];
      // Once a lease has ended, its slot may belong to another process.
      return [...probe.splice(0), ...idle.filter(({ until }) => until > now()).map(({ slot }) => slot)];
    },
  };
};

/** Returns a lease of a slot: one that this process holds, if it lasts long enough or can be renewed, or else a new one. */
const leaseSlot = async (
  { store, now, random, aloneSince }: DeliverDeps,
  pool: SlotPool,
  webhook: WebhookRecord,
  isProbe: boolean,
): Promise<SlotLease | null> => {
  const own = isProbe ? undefined : pool.idleLeases.pop();
  if (own && own.until - now() >= REQUEST_MS) return own;
  const renewed = own && own.until > now() ? await store.health.renewSlot(webhook, own, now()) : null;
  if (renewed) return renewed;
  // One slot is reserved for the requests that processes make without a lease.
  const slots = isHealthy(webhook, now()) ? SLOTS_PER_WEBHOOK - 1 : SLOTS_PER_WEBHOOK;
  const token = leaseToken({ random });
  return store.health.takeSlot(webhook, now(), { slots, first: pool.searches++, isProbe, token, aloneSince });
};

/**
 * Acquires a slot for one request, or returns null if none is free. All processes share the SLOTS_PER_WEBHOOK slots of a
 * webhook, and each lease and each release is a write. To save these writes, a process makes one request at a time to a
 * healthy receiver without a lease, and one slot stays unused in return. So one process makes at most SLOTS_PER_WEBHOOK
 * concurrent requests, and n processes at most SLOTS_PER_WEBHOOK - 1 + n. Once a receiver is slow or failing, every request
 * needs a lease.
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

/** Runs an attempt in its slot, and then releases the leases that this process no longer needs. */
export const inSlot = async <T>(
  { store }: DeliverDeps,
  { webhook, slot }: AdmittedRequest,
  attempt: () => Promise<T>,
): Promise<T> => {
  const result = await attempt().finally(slot.release);
  const unneeded = slot.unneeded();
  if (unneeded.length > 0) await store.health.release(webhook, unneeded);
  return result;
};
