import type { Permit } from '#shared/concurrency/semaphore.ts';
import type { SlotPool, Waiter } from '#shared/delivery/webhook-client.ts';
import { isHealthy, type LeaseName, SLOTS_PER_WEBHOOK, type SlotLease } from '#shared/domain/delivery/breaker.ts';
import { DEADLINE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { PostedWebhook } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { type DeliverDeps, leaseToken } from './deps.ts';

/** The time (ms) that must be left to begin a request: its longest deadline, and the writes around it. */
export const REQUEST_MS = (DEADLINE_SECONDS + 5) * 1_000;
/** How long (ms) a delivery waits for its permit, and then for a slot, before it makes room for others. */
export const ACQUIRE_TIMEOUT_MS = 5_000;

/** The slot of a request among those to its webhook. */
export type RequestSlot = {
  /** Ends the request, so that the next one may begin. Further calls do nothing. */
  release: () => void;
  /** Returns the leases that this process no longer needs, each of them once. The next write of the webhook gives them up. */
  unneeded: () => LeaseName[];
};

/** A webhook, as read when its circuit breaker let a request pass, and the slot for the request. */
export type Admitted = { webhook: PostedWebhook; slot: RequestSlot };

/** Acquires a permit for one of the requests that this process may make to a webhook at the same time. Null after a timeout. */
export const acquirePermit = (
  { webhookClient, pause }: DeliverDeps,
  { id }: WebhookRecord,
): Promise<Permit<SlotPool> | null> => webhookClient.acquire(id, () => pause(ACQUIRE_TIMEOUT_MS));

/** A delivery that waits in this process. `wait` ends when it is woken, or with the timeout. */
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

/** Creates the slot of a request from its lease; null: the one request of this process without a lease. */
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
      const isWanted = permit.isWanted() || [...pool.waiters].some(({ waitsFor }) => waitsFor === 'slot');
      // While a receiver is healthy, this process keeps the slots that its next requests will need.
      const isIdle = isOver && !isWanted && (permit.isEmpty() || !isHealthy(webhook, now()));
      const idle = isIdle ? pool.idleLeases.splice(0) : [];
      // A slot whose lease has ended may belong to another process already.
      return [...probe.splice(0), ...idle.filter(({ until }) => until > now()).map(({ slot }) => slot)];
    },
  };
};

/** A lease of a slot: one that this process holds, if it lasts long enough or can be renewed, or a new one. */
const leaseSlot = async (
  { store, now, random, aloneSince }: DeliverDeps,
  pool: SlotPool,
  webhook: WebhookRecord,
  isProbe: boolean,
): Promise<SlotLease | null> => {
  const own = isProbe ? undefined : pool.idleLeases.pop();
  if (own && own.until - now() >= REQUEST_MS) return own;
  const renewed = own && own.until > now() ? await store.health.keepSlot(webhook, own, now()) : null;
  if (renewed) return renewed;
  // One slot is left out for the requests that processes make without a slot.
  const slots = isHealthy(webhook, now()) ? SLOTS_PER_WEBHOOK - 1 : SLOTS_PER_WEBHOOK;
  const token = leaseToken({ random });
  return store.health.takeSlot(webhook, now(), { slots, first: pool.searches++, isProbe, token, aloneSince });
};

/**
 * Acquires a slot for one request, or returns null when none is free now. Over all processes a webhook has
 * SLOTS_PER_WEBHOOK slots, each leased and given up by a write. A process makes its only request to a healthy receiver
 * without a slot, so that this costs no write; then one slot stays unused. So one process makes at most SLOTS_PER_WEBHOOK
 * requests at a time, and n processes at most SLOTS_PER_WEBHOOK - 1 + n. Once a receiver is known to be slow or to fail,
 * each request needs a slot.
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

/** Makes an attempt in its slot. Leases that this process no longer needs are given up with the attempt's own writes, or after it. */
export const inSlot = async <T>(
  { store }: DeliverDeps,
  { webhook, slot }: Admitted,
  attempt: () => Promise<T>,
): Promise<T> => {
  const result = await attempt().finally(slot.release);
  const unneeded = slot.unneeded();
  if (unneeded.length > 0) await store.health.release(webhook, unneeded);
  return result;
};
