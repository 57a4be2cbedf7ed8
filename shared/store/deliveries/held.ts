import {
  heldUntil,
  MAX_RELEASE_AHEAD,
  RELEASE_INTERVAL,
  type WebhookDelivery,
} from '#shared/domain/delivery/delivery.ts';
import { UNFETCHED_ALERT_AFTER } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { isAlarmAboutPerson } from '#shared/domain/rule/alarm.ts';
import { latestAhead } from '#shared/domain/state/clock.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes, dueBefore, dueDelivery, GRACE_MS } from '../engine/due.ts';
import { changes, present, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';
import {
  deliveryItemKey,
  deliveryTtl,
  leaseAttributes,
  notSending,
  openAttributes,
  putDelivery,
  replayCount,
} from './delivery-item.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;
const webhookKey = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });
const isHeld = where('#state = :held', { held: 'held' });
/** Requires a webhook to exist and hold no deliveries. */
export const holdsNothing = where('attribute_exists(pk) AND (attribute_not_exists(#held) OR #held <= :none)', {
  none: 0,
});
/** The sort key prefix for held alarms. */
const HELD_ALARM = items.heldAlarm.sk({ deliveryId: '' });
/** How long (ms) an index may lag behind a write. */
const INDEX_LAG = 60_000;

/**
 * Returns the item listing a held alarm about a person, which is released before other deliveries. Other deliveries
 * have no such item.
 */
const alarmItems = ({ customerId, webhookId, id: deliveryId, snapshot }: WebhookDelivery): Key[] =>
  isAlarmAboutPerson(snapshot.event) ? [items.heldAlarm({ customerId, webhookId, deliveryId })] : [];
const unlistAlarm = (delivery: WebhookDelivery): Write[] => alarmItems(delivery).map((remove) => ({ remove }));

/**
 * Returns the writes for a delivery that is no longer held: to the lists it leaves, and to the exact number of
 * deliveries held for the webhook. While that number is above 0, the webhook is in the due index.
 */
export const leaveHeld = (delivery: WebhookDelivery): Write[] => {
  const key = webhookKey({ customerId: delivery.customerId, id: delivery.webhookId });
  return [{ update: key, changes: changes({ add: { held: -1 }, if: present }) }, ...unlistAlarm(delivery)];
};

/** Why a held delivery ends unsent: it was held too long, the replay was canceled, or a redelivery replaces it. */
type HeldEnd = 'expired' | 'canceled' | 'replayed';

/**
 * Returns the writes that end a held delivery: to the delivery, the `held` count in the webhook, and the replay, if
 * any.
 */
export const endHeld = (delivery: WebhookDelivery, reason: HeldEnd, now: number): Write[] => {
  const set = { state: 'failed', reason, updateDate: now };
  const update = changes({ set, remove: openAttributes, if: isHeld });
  return [
    { update: deliveryItemKey(delivery), changes: update },
    ...leaveHeld(delivery),
    ...replayCount(delivery, 'failed', now),
  ];
};

export const heldReads = (table: TableReader) => ({
  /**
   * Returns the ids of deliveries held by a webhook: alarms about people first, then all others, each group oldest
   * first. Alarms held by an earlier code version are among the others.
   */
  ids: async ({ customerId, id: webhookId }: WebhookKey, limit: number): Promise<string[]> => {
    const alarms = { pk: items.heldAlarm.pk({ customerId, webhookId }), beginsWith: HELD_ALARM };
    const all = { index: 'list', pk: lists.heldOfWebhook.pk({ customerId, webhookId }) } as const;
    const [first, rest] = await Promise.all([
      table.query<Key>({ ...alarms, limit }),
      table.query<Key & { listSk: string }>({ ...all, limit }),
    ]);
    const ofAlarms = first.items.flatMap((key) => items.heldAlarm.read(key)?.deliveryId ?? []);
    return [...new Set([...ofAlarms, ...rest.items.map(({ listSk }) => listSk)])].slice(0, limit);
  },
});

const heldWrites = (table: Table) => ({
  /** Holds a delivery to a disabled webhook, for at most 14 days. Returns false if it is being sent or has ended. */
  hold: async (delivery: WebhookDelivery, now: number): Promise<boolean> => {
    const { customerId, webhookId, id: deliveryId } = delivery;
    const webhook = { customerId, id: webhookId };
    const until = heldUntil(deliveryId, now);
    const set = {
      state: 'held',
      reason: 'webhook_disabled',
      updateDate: now,
      nextAttempt: null,
      heldUntil: until,
      ...dueDelivery(delivery, until),
      ...lists.heldOfWebhook({ customerId, webhookId, deliveryId }),
    };
    const holding = changes({ set: dueAt(webhookId, now), add: { held: 1 }, if: present });
    const failed = await table.write(
      { update: deliveryItemKey(delivery), changes: changes({ set, remove: leaseAttributes, if: notSending(now) }) },
      { update: webhookKey(webhook), changes: holding },
      ...alarmItems(delivery).map((key) => ({ put: { ...key, ttl: deliveryTtl(delivery.createDate) } })),
    );
    return failed === null;
  },

  /** Releases a held delivery. The next attempt is then due at `time` (ms). Returns false if it is no longer held. */
  release: async (delivery: WebhookDelivery, time: number, now: number): Promise<boolean> => {
    const state = delivery.attempts > 0 ? 'retrying' : 'pending';
    const set = { state, reason: null, updateDate: now, nextAttempt: time, ...dueAt(delivery.id, time + GRACE_MS) };
    const update = changes({ set, remove: ['listPk', 'listSk', 'heldUntil'], if: isHeld });
    const failed = await table.write({ update: deliveryItemKey(delivery), changes: update }, ...leaveHeld(delivery));
    // An earlier code version may have released or ended the alarm and left this item behind.
    if (failed) await Promise.all(unlistAlarm(delivery).map((write) => table.write(write)));
    return failed === null;
  },

  /** Ends a held delivery. Returns false if it is no longer held. */
  end: async (delivery: WebhookDelivery, reason: HeldEnd, now: number): Promise<boolean> =>
    (await table.write(...endHeld(delivery, reason, now))) === null,

  /** Ends a held delivery and writes its redelivery in one transaction. Returns false if it is no longer held. */
  replace: async (held: WebhookDelivery, redelivery: WebhookDelivery, now: number): Promise<boolean> =>
    (await table.write(putDelivery(redelivery, true), ...endHeld(held, 'replayed', now))) === null,

  /**
   * Reserves the release times in the near future. Returns the first time (ms) and the number of times, or null if none
   * is left or another process reserved them at the same time.
   */
  reserveReleases: async (webhook: WebhookRecord, now: number): Promise<{ from: number; count: number } | null> => {
    const { releasedUntil } = webhook;
    // A later time was reserved before the clock was set back.
    const isReserved = releasedUntil !== undefined && releasedUntil > now && releasedUntil <= now + MAX_RELEASE_AHEAD;
    const from = isReserved ? releasedUntil : now;
    const count = Math.min(webhook.held ?? 0, Math.floor((now + MAX_RELEASE_AHEAD - from) / RELEASE_INTERVAL));
    if (count <= 0) return null;
    const unchanged =
      releasedUntil === undefined
        ? where('attribute_exists(pk) AND attribute_not_exists(#releasedUntil)')
        : where('#releasedUntil = :seen', { seen: releasedUntil });
    const update = changes({ set: { releasedUntil: from + count * RELEASE_INTERVAL }, if: unchanged });
    return (await table.update(webhookKey(webhook), update)) === null ? null : { from, count };
  },

  /**
   * Sets the `held` count to 0, because the list of held deliveries is empty, unless a delivery was held so recently
   * (`#dueAt`) that it may not be listed yet.
   */
  correctCount: async (webhook: WebhookRecord, now: number): Promise<void> => {
    const seen = { seen: webhook.held ?? 0, ...dueBefore(now - INDEX_LAG) };
    const update = changes({ set: { held: 0 }, if: where('#held = :seen AND #dueAt < :before', seen) });
    await table.update(webhookKey(webhook), update);
  },

  /**
   * Schedules a webhook for now if its due time is later than possible because it dates from before the clock was set
   * back.
   */
  correctDue: async (webhook: WebhookKey, now: number): Promise<void> => {
    const isLater = where('#dueAt > :before', dueBefore(latestAhead(now, UNFETCHED_ALERT_AFTER)));
    await table.update(webhookKey(webhook), changes({ set: dueAt(webhook.id, now), if: isLater }));
  },

  /** Removes a webhook from the due index if it no longer holds any deliveries. */
  removeFromDue: async (webhook: WebhookKey): Promise<void> => {
    await table.update(webhookKey(webhook), changes({ remove: dueAttributes, if: holdsNothing }));
  },
});

export const held = (table: Table) => ({ ...heldReads(table), ...heldWrites(table) });
