import { isShort, type Result } from '#shared/domain/delivery/attempt.ts';
import { type Delivery, LEASE_SECONDS, type Next } from '#shared/domain/delivery/delivery.ts';
import type { Table } from '../engine/client.ts';
import { dueDelivery } from '../engine/due.ts';
import { changes, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';
import { claiming, noting, overtaken, recording } from './delivery-changes.ts';
import {
  counting,
  type DeliveryItem,
  type DeliveryKey,
  deliveryOf,
  keyOf,
  ttlOf,
  type Waiting,
  waiting,
} from './delivery-item.ts';

const LEASE_MS = LEASE_SECONDS * 1_000;

/** What came of an attempt, and what follows. */
type Ended = { result: Result; next: Next };

/** What whoever sends a delivery writes of it, around each attempt. */
const attemptWrites = (table: Table) => ({
  /**
   * Claims a delivery that is due, or whose claim lapsed: its attempt is counted and its start noted before anything
   * is sent. Null: somebody else has it, or it isn't due, or it is finished. `claim` is a random text
   * by which this claim is recognised when its answer was lost and the call is repeated. `aloneSince` (ms): claims from before it are those of a process that ended, for this one has been the only one since.
   */
  claim: async (key: DeliveryKey, now: number, claim: string, aloneSince = 0): Promise<Delivery | null> => {
    const lease = { until: now + LEASE_MS, claim };
    const claimed = (await table.update(keyOf(key), claiming(now, Math.max(now, aloneSince + LEASE_MS), lease))) as
      | (DeliveryItem & Key)
      | null;
    if (claimed) return deliveryOf(claimed);
    const found = await table.get<Waiting>(keyOf(key));
    return found?.claim === claim && found.leaseUntil === lease.until ? deliveryOf(found) : null;
  },

  /**
   * Records what came of the claimed attempt. Nothing when the claim lapsed and another attempt is under way; in the log
   * alone when a repetition was taken meanwhile.
   */
  record: async (delivery: Delivery, { result, next }: Ended, now: number, isQueued: boolean): Promise<void> => {
    const { customerId, webhookId, id: deliveryId, attempts: number, createDate } = delivery;
    // First the answer: without its line in the log nobody looks for it.
    if (!isShort(result.responseBody) && webhookId !== null) {
      const key = items.attempt({ customerId, webhookId, deliveryId, number });
      await table.write({ put: { ...key, number, body: result.responseBody, ttl: ttlOf(createDate) } });
    }
    const update = noting(delivery, result, recording(delivery, next, now, isQueued));
    const isSent = next.state === 'delivered';
    const count = next.state === 'retrying' ? [] : counting(delivery, isSent ? 'sent' : 'failed', now);
    const failed = await table.write({ update: keyOf(delivery), changes: update }, ...count);
    if (failed) await table.update(keyOf(delivery), noting(delivery, result, overtaken(delivery, now)));
  },

  /** Moves the next attempt to `time` (ms); false when it is later already, or somebody is at it. `isQueued` as above. */
  postpone: async (key: DeliveryKey, time: number, now: number, isQueued: boolean): Promise<boolean> => {
    const waits = where('#state IN (:pending, :retrying) AND (#nextAttempt <= :now OR #nextAttempt = :none)', {
      ...waiting,
      now,
      none: null,
    });
    const set = { nextAttempt: time, ...(!isQueued && dueDelivery(key, time)) };
    return (await table.update(keyOf(key), changes({ set, if: waits }))) !== null;
  },
});

export const attempts = (table: Table) => attemptWrites(table);
