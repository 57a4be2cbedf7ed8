import { heldUntil, RELEASE_AHEAD, RELEASE_EVERY, type WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueBefore, dueDelivery, dueNames, GRACE } from '../engine/due.ts';
import { changes, present, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';
import { counting, idle, keyOf, leaseNames, putDelivery, type WebhookDeliveryKey, waitNames } from './delivery-item.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;
const webhookKey = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });
const isHeld = where('#state = :held', { held: 'held' });
/** The condition that a webhook is there and holds nothing. */
export const holdsNothing = where('attribute_exists(pk) AND (attribute_not_exists(#held) OR #held <= :none)', {
  none: 0,
});
/** How long (ms) an index may lag behind a write. */
const INDEX_LAG = 60_000;

/** The exact number of deliveries that a webhook holds. While it is above 0, the webhook is in the due index. */
export const counted = (delivery: WebhookDeliveryKey, by: 1 | -1): Write => {
  const key = webhookKey({ customerId: delivery.customerId, id: delivery.webhookId });
  return { update: key, changes: changes({ add: { held: by }, if: present }) };
};

/** Why a held delivery ends unsent: it was held for too long, its replay was canceled, or a repetition replaces it. */
type HeldEnd = 'expired' | 'canceled' | 'replayed';

/** The writes that end a held delivery: to its own item, to the count of its webhook, and to the replay that it belongs to. */
export const endHeld = (delivery: WebhookDelivery, reason: HeldEnd, now: number): Write[] => {
  const set = { state: 'failed', reason, updateDate: now };
  const update = changes({ set, remove: waitNames, if: isHeld });
  return [{ update: keyOf(delivery), changes: update }, counted(delivery, -1), ...counting(delivery, 'failed', now)];
};

export const heldReads = (table: TableReader) => ({
  /** Ids of the oldest deliveries that a webhook holds. */
  ids: async ({ customerId, id: webhookId }: WebhookKey, limit: number): Promise<string[]> => {
    const pk = lists.heldOfWebhook.pk({ customerId, webhookId });
    const { items: held } = await table.query<Key & { listSk: string }>({ index: 'list', pk, limit });
    return held.map(({ listSk }) => listSk);
  },
});

const heldWrites = (table: Table) => ({
  /** Parks a delivery of a webhook that is switched off, for 14 days at most. False when it is being sent or has ended. */
  hold: async (key: WebhookDeliveryKey, now: number): Promise<boolean> => {
    const { customerId, webhookId, id: deliveryId } = key;
    const webhook = { customerId, id: webhookId };
    const until = heldUntil(deliveryId, now);
    const set = {
      state: 'held',
      reason: 'webhook_disabled',
      updateDate: now,
      nextAttempt: null,
      heldUntil: until,
      ...dueDelivery(key, until),
      ...lists.heldOfWebhook({ customerId, webhookId, deliveryId }),
    };
    const watched = changes({ set: dueAt(webhookId, now), add: { held: 1 }, if: present });
    const failed = await table.write(
      { update: keyOf(key), changes: changes({ set, remove: leaseNames, if: idle(now) }) },
      { update: webhookKey(webhook), changes: watched },
    );
    return failed === null;
  },

  /** Releases a held delivery: its next attempt is due at `time` (ms). False when it is no longer held. */
  release: async (delivery: WebhookDelivery, time: number, now: number): Promise<boolean> => {
    const state = delivery.attempts > 0 ? 'retrying' : 'pending';
    const set = { state, reason: null, updateDate: now, nextAttempt: time, ...dueAt(delivery.id, time + GRACE) };
    const update = changes({ set, remove: ['listPk', 'listSk', 'heldUntil'], if: isHeld });
    return (await table.write({ update: keyOf(delivery), changes: update }, counted(delivery, -1))) === null;
  },

  /** Ends a held delivery; false when it is no longer held. */
  end: async (delivery: WebhookDelivery, reason: HeldEnd, now: number): Promise<boolean> =>
    (await table.write(...endHeld(delivery, reason, now))) === null,

  /** Ends a held delivery and writes its repetition in one transaction. False when it is no longer held. */
  replace: async (held: WebhookDelivery, repetition: WebhookDelivery, now: number): Promise<boolean> =>
    (await table.write(putDelivery(repetition, true), ...endHeld(held, 'replayed', now))) === null,

  /**
   * Reserves the next times of release that are near enough. Returns the time (ms) of the first, and their number. Null when
   * another process reserved them at the same time.
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
   * Sets the count of a webhook to 0 when the list shows nothing held, unless a delivery was parked so recently (`#dueAt`)
   * that the list may not show it yet.
   */
  correct: async (webhook: WebhookRecord, now: number): Promise<void> => {
    const seen = { seen: webhook.held ?? 0, ...dueBefore(now - INDEX_LAG) };
    const update = changes({ set: { held: 0 }, if: where('#held = :seen AND #dueAt < :before', seen) });
    await table.update(webhookKey(webhook), update);
  },

  /** Takes a webhook out of the due index when it holds nothing any more. */
  done: async (webhook: WebhookKey): Promise<void> => {
    await table.update(webhookKey(webhook), changes({ remove: dueNames, if: holdsNothing }));
  },
});

export const held = (table: Table) => ({ ...heldReads(table), ...heldWrites(table) });
