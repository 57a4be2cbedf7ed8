import type { Delivery, WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { ulidsFrom } from '#shared/domain/ids.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, where } from '../engine/request.ts';
import { items } from '../table.ts';
import {
  type Counted,
  counting,
  type DeliveryItem,
  type DeliveryKey,
  deliveryOf,
  idle,
  keyOf,
  putDelivery,
  putLine,
  states,
  type Waiting,
  waitNames,
  webhookDeliveryOf,
} from './delivery-item.ts';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const MOST_AT_ONCE = 100;

const idleOrHeld = (now: number) =>
  where('#state IN (:pending, :retrying, :held) OR (#state = :sending AND #leaseUntil < :now)', {
    ...states,
    held: 'held',
    now,
  });

export const deliveryReads = (table: TableReader) => ({
  /** `webhookId` null: one to a person. */
  get: async (customerId: number, webhookId: string | null, deliveryId: string): Promise<Delivery | null> => {
    const found = await table.get<DeliveryItem>(keyOf({ customerId, webhookId, id: deliveryId }));
    return found && deliveryOf(found);
  },

  /**
   * A delivery, and when (ms) it is to be looked at again by what waits for it in a queue. Null: never, for it has ended,
   * is held, or waits in the due index.
   */
  inQueue: async (key: DeliveryKey) => {
    const found = await table.get<Waiting>(keyOf(key));
    if (!found) return { delivery: null, until: null };
    const { duePk, state, leaseUntil = 0, nextAttempt } = found;
    const times = { sending: leaseUntil + 1, pending: nextAttempt ?? 0, retrying: nextAttempt ?? 0 };
    const until = duePk !== undefined || !(state in times) ? null : times[state as keyof typeof times];
    return { delivery: deliveryOf(found), until };
  },

  /** Those that are there, in the order of their ids. */
  getAll: async (customerId: number, webhookId: string, ids: readonly string[]): Promise<WebhookDelivery[]> => {
    const keys = ids.map((deliveryId) => items.delivery({ customerId, webhookId, deliveryId }));
    const found: WebhookDelivery[] = [];
    for (let at = 0; at < keys.length; at += MOST_AT_ONCE)
      found.push(...(await table.getAll<DeliveryItem>(keys.slice(at, at + MOST_AT_ONCE))).map(webhookDeliveryOf));
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  },

  /** A page of a webhook's deliveries of what came from `since` to `until` (ms), oldest first, behind `startAfter`. */
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
      between: [at(ulidsFrom(since)), at(ulidsFrom(until + 1))],
      ...(startAfter && { startAfter: items.delivery({ customerId, webhookId, deliveryId: startAfter }) }),
      ...(limit && { limit }),
    });
    const page = found.map(webhookDeliveryOf);
    return { page, next: next ? page.at(-1)?.id : undefined };
  },

  /** Answers of a delivery that are too long for its own item, by the number of the attempt. */
  bodies: async (customerId: number, webhookId: string, deliveryId: string): Promise<Map<number, string>> => {
    const start = items.attempt.sk({ deliveryId, number: 0 }).slice(0, -16);
    const pk = items.attempt.pk({ customerId, webhookId });
    const found = await table.queryAll<{ number: number; body: string }>({ pk, beginsWith: start });
    return new Map(found.map(({ number, body }) => [number, body]));
  },
});

const deliveryWrites = (table: Table) => ({
  /** Writes a delivery that waits for its first attempt; nothing when it is there. `isDue` as in putDelivery. */
  create: async (delivery: Delivery, isDue: boolean): Promise<void> => {
    await table.write(putDelivery(delivery, isDue));
  },

  /**
   * Writes a delivery that waits to be fetched, and then its place in the feed. Whoever writes several of one sensor does
   * so one after the other, so that no reader sees the later one alone.
   */
  createFetched: async (delivery: WebhookDelivery): Promise<void> => {
    await table.write(putDelivery({ ...delivery, nextAttempt: null }, false));
    await table.write(putLine(delivery));
  },

  /**
   * Ends a delivery that nobody is sending, without an attempt; false when somebody is, or it has ended. What is held is
   * counted at its webhook and ends there (held.ts), unless that is gone.
   */
  end: async (delivery: Counted, reason: 'deleted' | 'canceled', now: number): Promise<boolean> => {
    const set = { state: 'failed', reason, updateDate: now, nextAttempt: null };
    const update = changes({ set, remove: waitNames, if: reason === 'deleted' ? idleOrHeld(now) : idle(now) });
    return (
      (await table.write({ update: keyOf(delivery), changes: update }, ...counting(delivery, 'failed', now))) === null
    );
  },
});

export const deliveries = (table: Table) => ({ ...deliveryReads(table), ...deliveryWrites(table) });
