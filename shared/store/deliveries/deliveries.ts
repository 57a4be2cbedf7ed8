import type { Delivery, WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import type { DeliveryState } from '#shared/domain/delivery/states.ts';
import { firstUlidAt } from '#shared/domain/ids.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, type Item, where } from '../engine/request.ts';
import { items } from '../table.ts';
import {
  type DeliveryItem,
  type DeliveryKey,
  type DeliveryWithReplay,
  deliveryItemKey,
  deliveryOf,
  LAPSED,
  lapsedAt,
  notSending,
  type OpenDeliveryItem,
  openAttributes,
  openStates,
  putDelivery,
  putFeedLine,
  replayCount,
  unsentStates,
  webhookDeliveryOf,
} from './delivery-item.ts';

const idleOrHeld = (now: number) =>
  where(`#state IN (:pending, :retrying, :held) OR (${LAPSED})`, { ...openStates, held: 'held', ...lapsedAt(now) });

export const deliveryReads = (table: TableReader) => ({
  /** Returns a delivery to a webhook or, if `webhookId` is null, to a person. */
  get: async (customerId: number, webhookId: string | null, deliveryId: string): Promise<Delivery | null> => {
    const found = await table.get<DeliveryItem>(deliveryItemKey({ customerId, webhookId, id: deliveryId }));
    return found && deliveryOf(found);
  },

  /**
   * Returns a delivery, and the time (ms) until which its task has to stay in a queue. The time is null if the task is
   * not needed because the delivery has ended, is held, or is in the due index.
   */
  getQueued: async (key: DeliveryKey) => {
    const found = await table.get<OpenDeliveryItem>(deliveryItemKey(key));
    if (!found) return { delivery: null, until: null };
    const { duePk, state, leaseUntil = 0, nextAttempt } = found;
    const times: Partial<Record<DeliveryState, number>> = {
      sending: leaseUntil + 1,
      pending: nextAttempt ?? 0,
      retrying: nextAttempt ?? 0,
    };
    const until = duePk === undefined ? (times[state] ?? null) : null;
    return { delivery: deliveryOf(found), until };
  },

  /** Returns the existing deliveries, sorted by id. */
  getAll: async (customerId: number, webhookId: string, ids: readonly string[]): Promise<WebhookDelivery[]> => {
    const keys = ids.map((deliveryId) => items.delivery({ customerId, webhookId, deliveryId }));
    const found = await table.getAll<DeliveryItem>(keys);
    return found.map(webhookDeliveryOf).sort((a, b) => (a.id < b.id ? -1 : 1));
  },

  /**
   * Returns the deliveries to people that were created from `since` to `until` (ms) and are due for an attempt at
   * `now`, oldest first. `isIndexed`: the delivery is in the due index, so no queue has to hold its task. The read may
   * lag, at half the cost.
   */
  dueToPeople: async (customerId: number, [since, until]: readonly [number, number], now: number, limit: number) => {
    const at = (deliveryId: string) => items.personDelivery.sk({ deliveryId });
    const between = [at(firstUlidAt(since)), at(firstUlidAt(until + 1))] as const;
    const query = { pk: items.personDelivery.pk({ customerId }), between, consistent: false };
    const found: { delivery: Delivery; isIndexed: boolean }[] = [];
    let startAfter: Item | undefined;
    for (let read = 0; read < limit; ) {
      const page = await table.query<OpenDeliveryItem>({ ...query, startAfter, limit: limit - read });
      for (const item of page.items)
        if (item.state in unsentStates && (item.nextAttempt ?? 0) <= now)
          found.push({ delivery: deliveryOf(item), isIndexed: item.duePk !== undefined });
      read += page.items.length;
      startAfter = page.next;
      if (!startAfter || page.items.length === 0) break;
    }
    return found;
  },

  /** Returns a page of webhook deliveries created from `since` to `until` (ms), oldest first, after `startAfter`. */
  range: async (
    customerId: number,
    webhookId: string,
    [since, until]: readonly [number, number],
    { startAfter, limit }: { startAfter?: string | null; limit?: number } = {},
  ) => {
    if (since > until) return { page: [], next: undefined };
    const at = (deliveryId: string) => items.delivery.sk({ deliveryId });
    const { items: found, next } = await table.query<DeliveryItem>({
      pk: items.delivery.pk({ customerId, webhookId }),
      between: [at(firstUlidAt(since)), at(firstUlidAt(until + 1))],
      ...(startAfter && { startAfter: items.delivery({ customerId, webhookId, deliveryId: startAfter }) }),
      ...(limit && { limit }),
    });
    const page = found.map(webhookDeliveryOf);
    return { page, next: next ? page.at(-1)?.id : undefined };
  },

  /** Returns the response bodies too long for the delivery item, by attempt number. */
  responseBodies: async (customerId: number, webhookId: string, deliveryId: string): Promise<Map<number, string>> => {
    const start = items.attempt.sk({ deliveryId, number: 0 }).slice(0, -16);
    const pk = items.attempt.pk({ customerId, webhookId });
    const found = await table.queryAll<{ number: number; body: string }>({ pk, beginsWith: start });
    return new Map(found.map(({ number, body }) => [number, body]));
  },
});

const deliveryWrites = (table: Table) => ({
  /** Writes a pending delivery, unless it already exists. `isDue` as in putDelivery. */
  create: async (delivery: Delivery, isDue: boolean): Promise<void> => {
    await table.write(putDelivery(delivery, isDue));
  },

  /**
   * Writes a delivery that will be fetched, and then its place in the feed. Write deliveries from one sensor one at a
   * time, so that no reader sees a delivery without the earlier ones.
   */
  createInFeed: async (delivery: WebhookDelivery): Promise<void> => {
    await table.write(putDelivery({ ...delivery, nextAttempt: null }, false));
    await table.write(putFeedLine(delivery));
  },

  /**
   * Ends a delivery without an attempt. Returns false if it is being sent or has ended. Unless the webhook was deleted,
   * held deliveries end in held.ts instead, because the webhook counts them.
   */
  end: async (delivery: DeliveryWithReplay, reason: 'deleted' | 'canceled', now: number): Promise<boolean> => {
    const set = { state: 'failed', reason, updateDate: now, nextAttempt: null };
    const update = changes({
      set,
      remove: openAttributes,
      if: reason === 'deleted' ? idleOrHeld(now) : notSending(now),
    });
    return (
      (await table.write(
        { update: deliveryItemKey(delivery), changes: update },
        ...replayCount(delivery, 'failed', now),
      )) === null
    );
  },
});

export const deliveries = (table: Table) => ({ ...deliveryReads(table), ...deliveryWrites(table) });
