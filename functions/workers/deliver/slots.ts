import type { Permit } from '#shared/concurrency/semaphore.ts';
import type { SlotPool } from '#shared/delivery/webhook-client.ts';
import { isHealthy, type LeaseName, SLOTS_PER_WEBHOOK, type SlotLease } from '#shared/domain/delivery/breaker.ts';
import { DEADLINE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { DeliverDeps } from './deps.ts';

/** The time (ms) that must be left to begin a request: its longest deadline, and the writes around it. */
export const TIME_FOR_ONE = (DEADLINE_SECONDS + 5) * 1_000;

/** The slot of a request among those to its webhook. */
export type RequestSlot = {
  /** Says that the request is over, so that the next one may begin. */
  release: () => void;
  /** The slots and the probe that this process no longer needs, to be given back with the next write. Each is returned once. */
  surplus: () => LeaseName[];
};

const slotIn = (
  { now }: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  { held, isProbe }: { held: SlotLease | null; isProbe: boolean },
): RequestSlot => {
  const { shared: pool } = permit;
  const extra: LeaseName[] = isProbe ? ['probeUntil'] : [];
  let isOver = false;
  return {
    release: () => {
      if (isOver) return;
      isOver = true;
      if (held) pool.idleLeases.push(held);
      else pool.hasUnleasedRequest = false;
      permit.release();
      for (const { wake } of pool.waiters) wake();
    },
    surplus: () => {
      const isWanted = permit.isWanted() || [...pool.waiters].some(({ waitsFor }) => waitsFor === 'slot');
      // While a receiver is well, this process keeps slots that its next requests will need.
      const kept =
        isOver && !isWanted && (permit.isEmpty() || !isHealthy(webhook, now())) ? pool.idleLeases.splice(0) : [];
      // A slot whose lease has ended may belong to another process already.
      return [...extra.splice(0), ...kept.filter(({ until }) => until > now()).map(({ slot }) => slot)];
    },
  };
};

const slotFor = async (
  deps: DeliverDeps,
  pool: SlotPool,
  webhook: WebhookRecord,
  probes: boolean,
): Promise<SlotLease | null> => {
  const { store, now, random, aloneSince } = deps;
  const own = probes ? undefined : pool.idleLeases.pop();
  if (own && own.until - now() >= TIME_FOR_ONE) return own;
  const longer = own && own.until > now() ? await store.health.keepSlot(webhook, own, now()) : null;
  // One slot is left out for the requests that processes make without a slot.
  const slots = isHealthy(webhook, now()) ? SLOTS_PER_WEBHOOK - 1 : SLOTS_PER_WEBHOOK;
  if (longer) return longer;
  const token = Buffer.from(random(6)).toString('base64url');
  return store.health.takeSlot(webhook, now(), { slots, first: pool.searches++, isProbe: probes, token, aloneSince });
};

/**
 * Acquires a slot for one request, or returns null when none is free now. Over all processes a webhook has SLOTS_PER_WEBHOOK
 * slots, each taken and given back by a write. A process makes its only request to a receiver that is well without a
 * slot, so that this costs no write; then one slot stays unused. So one process makes at most SLOTS_PER_WEBHOOK requests at a
 * time, and n processes at most SLOTS_PER_WEBHOOK - 1 + n. Once a receiver is known to be slow or to fail, each request needs a
 * slot.
 */
export const acquireSlot = async (
  deps: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  mode: 'free' | 'slot' | 'probe',
): Promise<RequestSlot | null> => {
  const { shared: pool } = permit;
  if (mode === 'free' && !pool.hasUnleasedRequest) {
    pool.hasUnleasedRequest = true;
    return slotIn(deps, permit, webhook, { held: null, isProbe: false });
  }
  const held = await slotFor(deps, pool, webhook, mode === 'probe');
  return held && slotIn(deps, permit, webhook, { held, isProbe: mode === 'probe' });
};
