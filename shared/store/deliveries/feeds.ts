import { resultWithoutRequest } from '#shared/domain/delivery/attempt.ts';
import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { type Given, SILENT_AFTER } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueDelivery, GRACE } from '../engine/due.ts';
import { absent, changes, present, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';
import { noting } from './delivery-changes.ts';
import { counting, idle, keyOf, lineKey, putLine, ttlOf, waitNames } from './delivery-item.ts';
import { holdsNothing } from './held.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;

/** What readers of a feed were given and have not taken, in that order. `version`: how often that changed. */
type Cursor = { given: readonly Given[]; version: number };

const cursorKey = ({ customerId, id: webhookId }: WebhookKey) => items.feedCursor({ customerId, webhookId });
const webhookKey = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });

export const feedReads = (table: TableReader) => ({
  cursor: async (webhook: WebhookKey): Promise<Cursor> =>
    (await table.get<Cursor>(cursorKey(webhook))) ?? { given: [], version: 0 },

  /** The ids of the first deliveries that wait, in their order. */
  waiting: async ({ customerId, id: webhookId }: WebhookKey, limit: number): Promise<string[]> => {
    const pk = items.feedLine.pk({ customerId, webhookId });
    const { items: found } = await table.query<Key>({ pk, limit });
    return found.flatMap((key) => items.feedLine.read(key)?.deliveryId ?? []);
  },

  /** Does anything wait? What came in the last moment may be missed. */
  isAnyWaiting: async ({ customerId, id: webhookId }: WebhookKey): Promise<boolean> => {
    const pk = items.feedLine.pk({ customerId, webhookId });
    return (await table.query<Key>({ pk, limit: 1, consistent: false })).items.length > 0;
  },
});

const feedWrites = (table: Table) => ({
  /** Lets a delivery wait to be fetched that was to be posted; false when somebody sends it, or it has ended. */
  enter: async (delivery: WebhookDelivery, now: number): Promise<boolean> => {
    await table.write(putLine(delivery));
    const set = { state: 'pending', reason: null, nextAttempt: null, updateDate: now };
    return (await table.update(keyOf(delivery), changes({ set, remove: waitNames, if: idle(now) }))) !== null;
  },

  /** Lets a delivery be posted at `time` (ms) that waited to be fetched; false when it has ended. */
  leave: async (delivery: WebhookDelivery, time: number, now: number): Promise<boolean> => {
    const set = { nextAttempt: time, updateDate: now, ...dueDelivery(delivery, time + GRACE) };
    const isLeft = await table.update(keyOf(delivery), changes({ set, if: idle(now) }));
    await table.write({ remove: lineKey(delivery) });
    return isLeft !== null;
  },

  /** Notes what readers were given and have not taken. False when another reader did meanwhile. */
  note: async (webhook: WebhookKey, { version }: Cursor, given: readonly Given[], now: number): Promise<boolean> => {
    const next = { given, version: version + 1, ttl: ttlOf(now) };
    const unchanged = version === 0 ? absent : where('#version = :seen', { seen: version });
    return (await table.write({ put: { ...cursorKey(webhook), ...next }, where: unchanged })) === null;
  },

  /** Ends a delivery that a reader took; `at`: when (ms) it was first given. False when it had ended before. */
  take: async (delivery: WebhookDelivery, at: number, now: number): Promise<boolean> => {
    const attempts = delivery.attempts + 1;
    const set = { attempts, sendTryTimes: [...delivery.sendTryTimes, at], updateDate: now, nextAttempt: null };
    const ended = { ...set, state: 'delivered', reason: null };
    const update = noting(
      { ...delivery, attempts },
      resultWithoutRequest(null),
      changes({ set: ended, remove: waitNames, if: idle(now) }),
    );
    const failed = await table.write({ update: keyOf(delivery), changes: update }, ...counting(delivery, 'sent', now));
    await table.write({ remove: lineKey(delivery) });
    return failed === null;
  },

  /** Ends a delivery that nobody is to get any more. False when it had ended before, or is being sent. */
  end: async (
    delivery: WebhookDelivery,
    reason: 'expired' | 'canceled' | 'exhausted',
    now: number,
  ): Promise<boolean> => {
    const set = { state: 'failed', reason, updateDate: now, nextAttempt: null };
    const update = changes({ set, remove: waitNames, if: idle(now) });
    const failed = await table.write(
      { update: keyOf(delivery), changes: update },
      ...counting(delivery, 'failed', now),
    );
    await table.write({ remove: lineKey(delivery) });
    return failed === null;
  },

  /** Takes the place of a delivery out of its feed: it has ended, or is posted. */
  drop: async (delivery: WebhookDelivery): Promise<void> => {
    await table.write({ remove: lineKey(delivery) });
  },
});

/** What is noted at a webhook of who fetches from it. */
const readerWrites = (table: Table) => ({
  /**
   * Notes that somebody has fetched: the sweep looks again once that is too long ago. While the webhook holds deliveries,
   * it goes on looking each minute, for it is that which releases them.
   */
  heard: async (webhook: WebhookKey, now: number): Promise<void> => {
    const set = { lastSuccess: now, consecutiveFailures: 0 };
    const moved = { ...set, ...dueAt(webhook.id, now + SILENT_AFTER) };
    const remove = ['failingSince'];
    if ((await table.update(webhookKey(webhook), changes({ set: moved, remove, if: holdsNothing }))) === null)
      await table.update(webhookKey(webhook), changes({ set, remove, if: present }));
  },

  /** Notes that nobody has fetched since a time (ms); false when that was noted, or somebody fetched meanwhile. */
  missed: async (webhook: WebhookRecord, since: number): Promise<boolean> => {
    const { lastSuccess } = webhook;
    const unchanged =
      lastSuccess === undefined
        ? where('attribute_exists(pk) AND attribute_not_exists(#lastSuccess) AND attribute_not_exists(#failingSince)')
        : where('#lastSuccess = :seen AND attribute_not_exists(#failingSince)', { seen: lastSuccess });
    const update = changes({ set: { failingSince: since, consecutiveFailures: 1 }, if: unchanged });
    return (await table.update(webhookKey(webhook), update)) !== null;
  },
});

export const feeds = (table: Table) => ({ ...feedReads(table), ...feedWrites(table), ...readerWrites(table) });
