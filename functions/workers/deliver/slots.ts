import type { Permit } from '../../../shared/concurrency/semaphore.ts';
import type { SlotPool } from '../../../shared/delivery/webhook-client.ts';
import { AT_A_TIME, type Held, type Hold, isWell } from '../../../shared/domain/breaker.ts';
import { DEADLINE_SECONDS } from '../../../shared/domain/delivery.ts';
import type { WebhookRecord } from '../../../shared/domain/webhook.ts';
import { chanceOf, type DeliverDeps } from './attempt.ts';

/** A request is begun only when its whole deadline, and the writes around it, fit into what is left, ms. */
export const TIME_FOR_ONE = (DEADLINE_SECONDS + 5) * 1_000;

/** The slot of a request among those to its webhook. */
export type RequestSlot = {
  /** The request is over: the next one may begin, here or in the same slot. */
  release: () => void;
  /** What this process has of the webhook and needs no more, each once: to be given back with the next write. */
  surplus: () => Hold[];
};

const slotIn = (
  { now }: DeliverDeps,
  permit: Permit<SlotPool>,
  webhook: WebhookRecord,
  held: Held | null,
  isProbe: boolean,
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
      const isSpare = isOver && !permit.isWanted() && pool.seekers.size === 0;
      // While a receiver is well, nobody else waits for what the others here will need in a moment.
      const kept = isSpare && (permit.isEmpty() || !isWell(webhook, now())) ? pool.kept.splice(0) : [];
      // What was held for too long may be another's.
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
  const { store, now } = deps;
  const claimToken = chanceOf(deps);
  const own = probes ? undefined : pool.kept.pop();
  if (own && own.until - now() >= TIME_FOR_ONE) return own;
  const longer = own && own.until > now() ? await store.health.keepSlot(webhook, own, now(), claimToken) : null;
  // One is left for those whom nobody knows of.
  const most = isWell(webhook, now()) ? AT_A_TIME - 1 : AT_A_TIME;
  return longer ?? store.health.takeSlot(webhook, now(), { most, first: pool.sought++, probes, claimToken });
};

/**
 * A slot for one request, or null when none is free now. Over all processes there are AT_A_TIME slots, each taken and
 * given back by a write. A process makes its only request to a receiver that is well without one: so the way to it costs
 * no write, and at most one request for each process goes beyond the slots, of which all but one are used then. With one
 * process there are never more than AT_A_TIME, with n of them at most AT_A_TIME - 1 + n; once a receiver is known to be
 * slow or to fail, whatever begins stands in a slot.
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
    return slotIn(deps, permit, webhook, null, false);
  }
  const held = await slotFor(deps, pool, webhook, mode === 'probe');
  return held && slotIn(deps, permit, webhook, held, mode === 'probe');
};
