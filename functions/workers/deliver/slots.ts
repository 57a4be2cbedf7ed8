import type { Permit } from '#shared/concurrency/semaphore.ts';
import type { SlotPool } from '#shared/delivery/webhook-client.ts';
import { AT_A_TIME, type Held, type Hold, isWell } from '#shared/domain/delivery/breaker.ts';
import { DEADLINE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { chanceOf, type DeliverDeps } from './deps.ts';

/** The time (ms) that must be left to begin a request: its longest deadline, and the writes around it. */
export const TIME_FOR_ONE = (DEADLINE_SECONDS + 5) * 1_000;

/** The slot of a request among those to its webhook. */
export type RequestSlot = {
  /** Says that the request is over, so that the next one may begin. */
  release: () => void;
  /** The slots and the probe that this process no longer needs, to be given back with the next write. Each is returned once. */
  surplus: () => Hold[];
};

const slotIn = (
  { now }: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  { held, isProbe }: { held: Held | null; isProbe: boolean },
): RequestSlot => {
  const { shared: pool } = permit;
  const extra: Hold[] = isProbe ? ['probeUntil'] : [];
  let isOver = false;
  return {
    release: () => {
      if (isOver) return;
      isOver = true;
      if (held) pool.kept.push(held);
      else pool.isUnlisted = false;
      permit.release();
      for (const { wake } of pool.seekers) wake();
    },
    surplus: () => {
      const isWanted = permit.isWanted() || [...pool.seekers].some(({ seeksSlot }) => seeksSlot);
      // While a receiver is well, this process keeps slots that its next requests will need.
      const kept = isOver && !isWanted && (permit.isEmpty() || !isWell(webhook, now())) ? pool.kept.splice(0) : [];
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
): Promise<Held | null> => {
  const { store, now, aloneSince } = deps;
  const claimToken = chanceOf(deps);
  const own = probes ? undefined : pool.kept.pop();
  if (own && own.until - now() >= TIME_FOR_ONE) return own;
  const longer = own && own.until > now() ? await store.health.keepSlot(webhook, own, now(), claimToken) : null;
  // One slot is left out for the requests that processes make without a slot.
  const most = isWell(webhook, now()) ? AT_A_TIME - 1 : AT_A_TIME;
  return (
    longer ?? store.health.takeSlot(webhook, now(), { most, first: pool.sought++, probes, claimToken, aloneSince })
  );
};

/**
 * Acquires a slot for one request, or returns null when none is free now. Over all processes a webhook has AT_A_TIME
 * slots, each taken and given back by a write. A process makes its only request to a receiver that is well without a
 * slot, so that this costs no write; then one slot stays unused. So one process makes at most AT_A_TIME requests at a
 * time, and n processes at most AT_A_TIME - 1 + n. Once a receiver is known to be slow or to fail, each request needs a
 * slot.
 */
export const acquireSlot = async (
  deps: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  mode: 'free' | 'slot' | 'probe',
): Promise<RequestSlot | null> => {
  const { shared: pool } = permit;
  if (mode === 'free' && !pool.isUnlisted) {
    pool.isUnlisted = true;
    return slotIn(deps, permit, webhook, { held: null, isProbe: false });
  }
  const held = await slotFor(deps, pool, webhook, mode === 'probe');
  return held && slotIn(deps, permit, webhook, { held, isProbe: mode === 'probe' });
};
