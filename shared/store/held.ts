import { type Delivery, heldUntil, RELEASE_AHEAD, RELEASE_EVERY } from '../domain/delivery.ts';
import type { WebhookRecord } from '../domain/webhook.ts';
import type { Table, TableReader } from './client.ts';
import { counting, type DeliveryKey, idle, keyOf, putDelivery, waitNames } from './deliveries.ts';
import { dueAt, dueBefore, dueNames, GRACE } from './due.ts';
import type { Key } from './key.ts';
import { changes, present, type Write, where } from './request.ts';
import { items, lists } from './table.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;
const webhookKey = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });
const isHeld = where('#state = :held', { held: 'held' });
/** An index may show what was written this long ago (ms), or not yet. */
const INDEX_LAG = 60_000;

/** The webhook counts what it holds, exactly: it is looked at for as long as there is something. */
export const counted = (delivery: DeliveryKey, by: 1 | -1): Write => {
  const key = webhookKey({ customerId: delivery.customerId, id: delivery.webhookId });
  return { update: key, changes: changes({ add: { held: by }, if: present }) };
};

/** Why something held ends unsent: it was held for too long, its replay was canceled, a repetition replaces it. */
type HeldEnd = 'expired' | 'canceled' | 'replayed';

/** The end of a held delivery: in its own item, in the count of its webhook, and in the replay that it is of. */
export const endHeld = (delivery: Delivery, reason: HeldEnd, now: number): Write[] => {
  const set = { state: 'failed', reason, updateDate: now };
  const update = changes({ set, remove: waitNames, if: isHeld });
  return [{ update: keyOf(delivery), changes: update }, counted(delivery, -1), ...counting(delivery, 'failed', now)];
};

export const heldReads = (table: TableReader) => ({
  /** Ids of the oldest deliveries that a webhook holds. */
  ids: async ({ customerId, id: webhookId }: WebhookKey, limit: number): Promise<string[]> => {
    const pk = lists.heldOfWebhook({ customerId, webhookId });
    const { items: held } = await table.query<Key & { listSk: string }>({ index: 'list', pk, limit });
    return held.map(({ listSk }) => listSk);
  },
});

export const heldWrites = (table: Table) => ({
  /** Parks a delivery of a webhook that is switched off, for 14 days at most; false when it is being sent or has ended. */
  hold: async (key: DeliveryKey, now: number): Promise<boolean> => {
    const { customerId, webhookId, id: deliveryId } = key;
    const webhook = { customerId, id: webhookId };
    const until = heldUntil(deliveryId, now);
    const set = {
      ...{ state: 'held', reason: 'webhook_disabled', updateDate: now, nextAttempt: null, heldUntil: until },
      ...dueAt(deliveryId, until),
      listPk: lists.heldOfWebhook({ customerId, webhookId }),
      listSk: lists.byDelivery({ deliveryId }),
    };
    const watched = changes({ set: dueAt(webhookId, now), add: { held: 1 }, if: present });
    const failed = await table.write(
      { update: keyOf(key), changes: changes({ set, remove: ['leaseUntil'], if: idle(now) }) },
      { update: webhookKey(webhook), changes: watched },
    );
    return failed === null;
  },

  /** Lets a held delivery go on at `time` (ms), where it stood; false when it is no longer held. */
  release: async (delivery: Delivery, time: number, now: number): Promise<boolean> => {
    const state = delivery.attempts > 0 ? 'retrying' : 'pending';
    const set = { state, reason: null, updateDate: now, nextAttempt: time, ...dueAt(delivery.id, time + GRACE) };
    const update = changes({ set, remove: ['listPk', 'listSk', 'heldUntil'], if: isHeld });
    return (await table.write({ update: keyOf(delivery), changes: update }, counted(delivery, -1))) === null;
  },

  /** Ends a held delivery; false when it is no longer held. */
  end: async (delivery: Delivery, reason: HeldEnd, now: number): Promise<boolean> =>
    (await table.write(...endHeld(delivery, reason, now))) === null,

  /** Puts a repetition instead of what is held, or neither happens: false when it is no longer held. */
  replace: async (held: Delivery, repetition: Delivery, now: number): Promise<boolean> =>
    (await table.write(putDelivery(repetition, true), ...endHeld(held, 'replayed', now))) === null,

  /**
   * Takes the next places in the row of releases, as many as are near enough: the time (ms) of the first, and how many.
   * Null: somebody else took them at the same time.
   */
  reserve: async (webhook: WebhookRecord, now: number): Promise<{ from: number; count: number } | null> => {
    const { releasedUntil } = webhook;
    const from = Math.max(now, releasedUntil ?? 0);
    const count = Math.min(webhook.held ?? 0, Math.floor((now + RELEASE_AHEAD - from) / RELEASE_EVERY));
    if (count <= 0) return null;
    const unchanged =
      releasedUntil === undefined
        ? where('attribute_exists(pk) AND attribute_not_exists(#releasedUntil)')
        : where('#releasedUntil = :seen', { seen: releasedUntil });
    const update = changes({ set: { releasedUntil: from + count * RELEASE_EVERY }, if: unchanged });
    return (await table.update(webhookKey(webhook), update)) === null ? null : { from, count };
  },

  /**
   * Corrects the count of a webhook of which the list shows nothing held, unless something was parked so lately that the
   * list may not show it yet. `#dueAt` is when that was.
   */
  correct: async (webhook: WebhookRecord, now: number): Promise<void> => {
    const seen = { seen: webhook.held ?? 0, ...dueBefore(now - INDEX_LAG) };
    const update = changes({ set: { held: 0 }, if: where('#held = :seen AND #dueAt < :before', seen) });
    await table.update(webhookKey(webhook), update);
  },

  /** Nothing is held any more: the webhook needs no looking at. */
  done: async (webhook: WebhookKey): Promise<void> => {
    const empty = where('attribute_exists(pk) AND #held <= :none', { none: 0 });
    await table.update(webhookKey(webhook), changes({ remove: dueNames, if: empty }));
  },
});

export const held = (table: Table) => ({ ...heldReads(table), ...heldWrites(table) });
