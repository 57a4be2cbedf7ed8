import { type AttemptResult, isShortBody, withReason } from '#shared/domain/delivery/attempt.ts';
import { LEASE_MS, lapsedBefore } from '#shared/domain/delivery/breaker.ts';
import { type Delivery, type NextState, UNDELIVERABLE } from '#shared/domain/delivery/delivery.ts';
import type { Table } from '../engine/client.ts';
import { dueDelivery } from '../engine/due.ts';
import { changes, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';
import { claimChanges, lateResultChanges, resultChanges, withLogEntry } from './delivery-changes.ts';
import {
  type DeliveryItem,
  type DeliveryKey,
  deliveryItemKey,
  deliveryOf,
  deliveryTtl,
  type OpenDeliveryItem,
  replayCount,
  unsentStates,
} from './delivery-item.ts';

/** The attempt result, and what follows. */
type AttemptEnd = { result: AttemptResult; next: NextState };

/** The writes before and after each attempt. */
const attemptWrites = (table: Table) => ({
  /**
   * Claims a delivery for one attempt if it is due or its claim has lapsed, and records the start before anything is
   * sent. Returns null if the delivery has ended, is not due, or is claimed by another process. `claim` is a random
   * string identifying this claim if the response is lost and the request is repeated. Claims from before `aloneSince`
   * (ms) belong to a process that ended. `insteadOf`: an early attempt replaces the one planned for that time (ms).
   */
  claim: async (
    key: DeliveryKey,
    now: number,
    claim: string,
    { aloneSince = 0, insteadOf }: { aloneSince?: number; insteadOf?: number | undefined } = {},
  ): Promise<Delivery | null> => {
    const lease = { until: now + LEASE_MS, claim };
    const claimed = (await table.update(
      deliveryItemKey(key),
      claimChanges(now, lapsedBefore(now, aloneSince), lease, insteadOf),
    )) as (DeliveryItem & Key) | null;
    if (claimed) return deliveryOf(claimed);
    const found = await table.get<OpenDeliveryItem>(deliveryItemKey(key));
    return found?.claim === claim && found.leaseUntil === lease.until ? deliveryOf(found) : null;
  },

  /**
   * Records the result of the claimed attempt. Writes nothing if the claim has lapsed and another attempt is running,
   * and only the log entry if a redelivery has been accepted.
   */
  recordResult: async (
    delivery: Delivery,
    { result, next }: AttemptEnd,
    now: number,
    isQueued: boolean,
  ): Promise<void> => {
    const { customerId, webhookId, id: deliveryId, attempts: number, createDate } = delivery;
    // The response body is written first, because no one looks for it without a log entry.
    if (!isShortBody(result.responseBody) && webhookId !== null) {
      const key = items.attempt({ customerId, webhookId, deliveryId, number });
      await table.write({ put: { ...key, number, body: result.responseBody, ttl: deliveryTtl(createDate) } });
    }
    const update = withLogEntry(delivery, result, resultChanges(delivery, next, now, isQueued));
    const isSent = next.state === 'delivered';
    const count = next.state === 'retrying' ? [] : replayCount(delivery, isSent ? 'sent' : 'failed', now);
    const failed = await table.write({ update: deliveryItemKey(delivery), changes: update }, ...count);
    if (failed)
      await table.update(deliveryItemKey(delivery), withLogEntry(delivery, result, lateResultChanges(delivery, now)));
  },

  /**
   * Ends a delivered notification as undeliverable, recording the reason in the last attempt. Returns false if the
   * delivery has changed since it was read.
   */
  recordUndeliverable: async (delivery: Delivery, reason: string, now: number): Promise<boolean> => {
    const { attempts: number, updateDate: was, log = [] } = delivery;
    const set = {
      state: 'failed',
      reason: UNDELIVERABLE,
      updateDate: now,
      log: log.map((entry) => (entry[0] === number ? withReason(entry, UNDELIVERABLE, reason) : entry)),
    };
    const isUnchanged = where('#state = :delivered AND #updateDate = :was', { delivered: 'delivered', was });
    return (await table.update(deliveryItemKey(delivery), changes({ set, if: isUnchanged }))) !== null;
  },

  /** Moves an attempt planned for `from` (ms) to `to`. Returns false if the delivery has changed since it was read. */
  replan: async (key: DeliveryKey, from: number | null, to: number, now: number): Promise<boolean> => {
    const isPlanned = where('#state IN (:pending, :retrying) AND #nextAttempt = :from', { ...unsentStates, from });
    // The Retry-After date was computed from the same time.
    const set = { nextAttempt: to, updateDate: now, ...dueDelivery(key, to) };
    const update = changes({ set, remove: ['retryAfterDate'], if: isPlanned });
    return (await table.update(deliveryItemKey(key), update)) !== null;
  },

  /**
   * Moves the next attempt to `time` (ms). Returns false if it is not due yet or is in progress. `isQueued`: the task
   * for it is in a queue; otherwise the delivery goes into the due index.
   */
  postpone: async (key: DeliveryKey, time: number, now: number, isQueued: boolean): Promise<boolean> => {
    const isDue = where('#state IN (:pending, :retrying) AND (#nextAttempt <= :now OR #nextAttempt = :none)', {
      ...unsentStates,
      now,
      none: null,
    });
    const set = { nextAttempt: time, updateDate: now, ...(!isQueued && dueDelivery(key, time)) };
    return (await table.update(deliveryItemKey(key), changes({ set, if: isDue }))) !== null;
  },
});

export const attempts = (table: Table) => attemptWrites(table);
