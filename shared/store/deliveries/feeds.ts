import { resultWithoutRequest } from '#shared/domain/delivery/attempt.ts';
import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { type FetchedDelivery, UNFETCHED_ALERT_AFTER } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueDelivery, GRACE_MS } from '../engine/due.ts';
import { absent, changes, present, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';
import { withLogEntry } from './delivery-changes.ts';
import {
  deliveryItemKey,
  deliveryTtl,
  type FeedLine,
  feedLineKey,
  notSending,
  openAttributes,
  putFeedLine,
  replayCount,
} from './delivery-item.ts';
import { holdsNothing } from './held.ts';

type WebhookKey = Pick<WebhookRecord, 'customerId' | 'id'>;

/** The deliveries handed out but not acknowledged, in order. `version` counts the changes to that list. */
type Cursor = { given: readonly FetchedDelivery[]; version: number };

const cursorKey = ({ customerId, id: webhookId }: WebhookKey) => items.feedCursor({ customerId, webhookId });
const webhookKey = ({ customerId, id: webhookId }: WebhookKey) => items.webhook({ customerId, webhookId });

export const feedReads = (table: TableReader) => ({
  cursor: async (webhook: WebhookKey): Promise<Cursor> =>
    (await table.get<Cursor>(cursorKey(webhook))) ?? { given: [], version: 0 },

  /** Returns the ids of the first deliveries that can be fetched, in order. */
  pendingIds: async ({ customerId, id: webhookId }: WebhookKey, limit: number): Promise<string[]> => {
    const pk = items.feedLine.pk({ customerId, webhookId });
    const { items: found } = await table.query<Key>({ pk, limit });
    return found.flatMap((key) => items.feedLine.read(key)?.deliveryId ?? []);
  },

  /**
   * Returns the ids of deliveries to post, now that the webhook has a URL: alarms about people first, then all others,
   * each group oldest first.
   */
  idsToPost: async ({ customerId, id: webhookId }: WebhookKey, limit: number): Promise<string[]> => {
    const lines = await table.queryAll<FeedLine>({ pk: items.feedLine.pk({ customerId, webhookId }) });
    const byKind = Map.groupBy(lines, ({ isAlarm = false }) => isAlarm);
    const inOrder = [...(byKind.get(true) ?? []), ...(byKind.get(false) ?? [])];
    return inOrder.slice(0, limit).flatMap((key) => items.feedLine.read(key)?.deliveryId ?? []);
  },

  /** Whether any delivery can be fetched. May miss one that was just added. */
  hasPending: async ({ customerId, id: webhookId }: WebhookKey): Promise<boolean> => {
    const pk = items.feedLine.pk({ customerId, webhookId });
    return (await table.query<Key>({ pk, limit: 1, consistent: false })).items.length > 0;
  },
});

const feedWrites = (table: Table) => ({
  /** Moves a delivery to the feed instead of posting it. Returns false if it is being sent or has ended. */
  moveToFeed: async (delivery: WebhookDelivery, now: number): Promise<boolean> => {
    await table.write(putFeedLine(delivery));
    const set = { state: 'pending', reason: null, nextAttempt: null, updateDate: now };
    return (
      (await table.update(deliveryItemKey(delivery), changes({ set, remove: openAttributes, if: notSending(now) }))) !==
      null
    );
  },

  /** Removes a delivery from the feed, to be posted at `time` (ms). Returns false if it has ended. */
  moveToPost: async (delivery: WebhookDelivery, time: number, now: number): Promise<boolean> => {
    const set = { nextAttempt: time, updateDate: now, ...dueDelivery(delivery, time + GRACE_MS) };
    const updated = await table.update(deliveryItemKey(delivery), changes({ set, if: notSending(now) }));
    await table.write({ remove: feedLineKey(delivery) });
    return updated !== null;
  },

  /**
   * Records which deliveries were handed out but not acknowledged. Returns false if another reader has changed that
   * list.
   */
  recordHandedOut: async (
    webhook: WebhookKey,
    { version }: Cursor,
    given: readonly FetchedDelivery[],
    now: number,
  ): Promise<boolean> => {
    const next = { given, version: version + 1, ttl: deliveryTtl(now) };
    const unchanged = version === 0 ? absent : where('#version = :seen', { seen: version });
    return (await table.write({ put: { ...cursorKey(webhook), ...next }, where: unchanged })) === null;
  },

  /**
   * Ends an acknowledged delivery; `at` is when (ms) it was first handed out. Returns false if it has already ended.
   */
  acknowledge: async (delivery: WebhookDelivery, at: number, now: number): Promise<boolean> => {
    const attempts = delivery.attempts + 1;
    const set = { attempts, sendTryTimes: [...delivery.sendTryTimes, at], updateDate: now, nextAttempt: null };
    const ended = { ...set, state: 'delivered', reason: null };
    const update = withLogEntry(
      { ...delivery, attempts },
      resultWithoutRequest(null),
      changes({ set: ended, remove: openAttributes, if: notSending(now) }),
    );
    const failed = await table.write(
      { update: deliveryItemKey(delivery), changes: update },
      ...replayCount(delivery, 'sent', now),
    );
    await table.write({ remove: feedLineKey(delivery) });
    return failed === null;
  },

  /** Ends a delivery that must no longer be fetched. Returns false if it has already ended or is being sent. */
  end: async (
    delivery: WebhookDelivery,
    reason: 'expired' | 'canceled' | 'exhausted',
    now: number,
  ): Promise<boolean> => {
    const set = { state: 'failed', reason, updateDate: now, nextAttempt: null };
    const update = changes({ set, remove: openAttributes, if: notSending(now) });
    const failed = await table.write(
      { update: deliveryItemKey(delivery), changes: update },
      ...replayCount(delivery, 'failed', now),
    );
    await table.write({ remove: feedLineKey(delivery) });
    return failed === null;
  },

  /** Removes an ended or posted delivery from the feed. */
  removeFromFeed: async (delivery: WebhookDelivery): Promise<void> => {
    await table.write({ remove: feedLineKey(delivery) });
  },
});

/** Records in a webhook whether a reader fetches from it. */
const readerWrites = (table: Table) => ({
  /**
   * Records a fetch, and schedules the next sweep check for the time when this fetch will be too old. While the webhook
   * holds deliveries, the sweep still checks it once a minute to release them.
   */
  recordFetch: async (webhook: WebhookKey, now: number): Promise<void> => {
    const set = { lastSuccess: now, consecutiveFailures: 0 };
    const rescheduled = { ...set, ...dueAt(webhook.id, now + UNFETCHED_ALERT_AFTER) };
    const remove = ['failingSince'];
    if ((await table.update(webhookKey(webhook), changes({ set: rescheduled, remove, if: holdsNothing }))) === null)
      await table.update(webhookKey(webhook), changes({ set, remove, if: present }));
  },

  /**
   * Records that no reader has fetched since the given time (ms). Returns false if this is already recorded, or if a
   * reader has just fetched.
   */
  recordNoFetch: async (webhook: WebhookRecord, since: number): Promise<boolean> => {
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
