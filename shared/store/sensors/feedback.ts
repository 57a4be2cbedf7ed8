import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import { putDelivery } from '../deliveries/delivery-item.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type NewestPageQuery, newestPage } from '../engine/newest-page.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { StoredHit } from '../hits/hit-item.ts';
import { lateChangeWrite } from '../hits/late-change.ts';
import { items, lists } from '../table.ts';
import { sensorKey } from './sensor-item.ts';

const feedbackKey = (customerId: number, { sensorId, id: feedbackId }: Pick<Feedback, 'sensorId' | 'id'>) =>
  items.feedback({ customerId, sensorId, feedbackId });
/** Feedback expires after the events and hits it may refer to. */
const ttlOf = ({ createDate }: Feedback) => Math.ceil((createDate + EVENT_RETENTION) / 1_000);

/** A hit, with a count of feedback changes, so that one of two parallel changes fails. */
type Hit = StoredHit & { feedbackRevision?: number };
const hitOf = async (table: TableReader, customerId: number, hitId: number | null): Promise<Hit | null> => {
  const found = hitId === null ? null : await table.get<Hit>(items.ruleHit({ customerId, hitId }));
  return found?.isErased ? null : found;
};

/** Returns the writes that set the newest feedback on a hit, so that hit lists need no further reads. */
const setFeedback = (customerId: number, hit: Hit, feedback: Feedback | null, now: number): Write[] => {
  const { id: hitId, updateDate: was, feedbackRevision: seen = 0 } = hit;
  const unchanged =
    seen === 0
      ? where('#updateDate = :was AND attribute_not_exists(#feedbackRevision)', { was })
      : where('#updateDate = :was AND #feedbackRevision = :seen', { was, seen });
  const set = { feedback, feedbackRevision: seen + 1, updateDate: now, isLate: true };
  return [
    { update: items.ruleHit({ customerId, hitId }), changes: changes({ set, if: unchanged }) },
    lateChangeWrite(customerId, hit, now),
  ];
};
/** Returns the key for feedback on a hit. When the newest feedback is deleted, it leads to the next newest. */
const keyInHit = (customerId: number, { id: hitId }: Hit, { id: feedbackId }: Feedback) =>
  items.feedbackOfHit({ customerId, hitId, feedbackId });
const newer = (feedback: Feedback, shown: Feedback | null = null): Feedback =>
  shown && shown.id > feedback.id ? shown : feedback;

/** Returns the writes that add feedback to a hit. The hit item holds only the newest feedback. */
const addToHit = (customerId: number, hit: Hit, feedback: Feedback): Write[] => [
  { put: { feedback, ...keyInHit(customerId, hit, feedback), ttl: ttlOf(feedback) } },
  ...setFeedback(customerId, hit, newer(feedback, hit.feedback), feedback.createDate),
];

const feedbackItem = (customerId: number, feedback: Feedback) => ({
  ...feedback,
  ...feedbackKey(customerId, feedback),
  ...lists.feedbackOfSensor({ customerId, sensorId: feedback.sensorId, id: feedback.id }),
  ttl: ttlOf(feedback),
});

/** Returns the result of creating feedback, judging by the failed writes, or null if another change got there first. */
const createResult = (failed: readonly number[] | null): 'done' | 'clash' | 'gone' | null => {
  if (failed === null) return 'done';
  if (failed.includes(0)) return 'clash';
  return failed.includes(1) ? 'gone' : null;
};

export const feedbackReads = (table: TableReader) => ({
  /** Returns a page of feedback on a sensor, newest first. Leaves out feedback older than the retention period. */
  list: (customerId: number, sensorId: string, now: number, query: NewestPageQuery) =>
    newestPage<Feedback>(
      table,
      { pk: lists.feedbackOfSensor.pk({ customerId, sensorId }), at: lists.feedbackOfSensor.sk },
      now - EVENT_RETENTION,
      query,
    ),
});

const feedbackWrites = (table: Table) => ({
  /**
   * Writes feedback and adds it to the hit, together with the delivery to the manufacturer, if any. `clash`: the
   * feedback id is taken; `gone`: the sensor or hit does not exist.
   */
  create: (
    customerId: number,
    feedback: Feedback,
    delivery: Delivery | null = null,
  ): Promise<'done' | 'clash' | 'gone'> =>
    retryOnConflict(async () => {
      const hit = await hitOf(table, customerId, feedback.ruleHitId);
      if (feedback.ruleHitId !== null && !hit) return 'gone';
      const failed = await table.write(
        { put: feedbackItem(customerId, feedback), where: absent },
        { check: sensorKey(customerId, feedback.sensorId), where: present },
        ...(hit ? addToHit(customerId, hit, feedback) : []),
        ...(delivery ? [putDelivery(delivery, true)] : []),
      );
      return createResult(failed);
    }),

  /**
   * Deletes feedback; the hit then holds the next newest feedback. Returns false if the feedback does not exist at
   * `now` (ms).
   */
  remove: (customerId: number, sensorId: string, id: number, now: number): Promise<boolean> =>
    retryOnConflict(async () => {
      const key = feedbackKey(customerId, { sensorId, id });
      const feedback = await table.get<Feedback>(key);
      if (!feedback || feedback.createDate < now - EVENT_RETENTION) return false;
      const hit = await hitOf(table, customerId, feedback.ruleHitId);
      const writes: Write[] = [{ remove: key, where: present }];
      if (hit) {
        const pk = items.feedbackOfHit.pk({ customerId, hitId: hit.id });
        const query = { pk, newestFirst: true, limit: 2 };
        const { items: newest } = await table.query<{ feedback: Feedback }>(query);
        const next = newest.find((other) => other.feedback.id !== id)?.feedback ?? null;
        writes.push({ remove: keyInHit(customerId, hit, feedback) }, ...setFeedback(customerId, hit, next, now));
      }
      return (await table.write(...writes)) === null || null;
    }),
});

export const feedback = (table: Table) => ({ ...feedbackReads(table), ...feedbackWrites(table) });
