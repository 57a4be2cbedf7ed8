import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { RETENTION } from '#shared/domain/event/event.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import { putDelivery } from '../deliveries/delivery-item.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type NewestQuery, newestPage } from '../engine/newest.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { StoredHit } from '../hits/hit-item.ts';
import { noteLateChange } from '../hits/late-change.ts';
import { items, lists } from '../table.ts';
import { sensorKey } from './sensor-item.ts';

const keyOf = (customerId: number, { sensorId, id: feedbackId }: Pick<Feedback, 'sensorId' | 'id'>) =>
  items.feedback({ customerId, sensorId, feedbackId });
/** Feedback expires when the events and hits that it may refer to have expired. */
const ttlOf = ({ createDate }: Feedback) => Math.ceil((createDate + RETENTION) / 1_000);

/** Counts the changes of a hit's feedback, so that of two at the same time the second sees the first. */
type Hit = StoredHit & { feedbackRevision?: number };
const hitOf = async (table: TableReader, customerId: number, hitId: number | null): Promise<Hit | null> => {
  const found = hitId === null ? null : await table.get<Hit>(items.ruleHit({ customerId, hitId }));
  return found?.isErased ? null : found;
};

/** A hit's item holds the newest feedback on it, so that lists of hits read nothing more. Feedback changes it late (ms). */
const show = (customerId: number, hit: Hit, feedback: Feedback | null, now: number): Write[] => {
  const { id: hitId, updateDate: was, feedbackRevision: seen = 0 } = hit;
  const unchanged =
    seen === 0
      ? where('#updateDate = :was AND attribute_not_exists(#feedbackRevision)', { was })
      : where('#updateDate = :was AND #feedbackRevision = :seen', { was, seen });
  const updateDate = Math.max(now, was);
  const set = { feedback, feedbackRevision: seen + 1, updateDate, isLate: true };
  return [
    { update: items.ruleHit({ customerId, hitId }), changes: changes({ set, if: unchanged }) },
    noteLateChange(customerId, hit, updateDate),
  ];
};
/** The key by which the feedback of a hit is found when the newest is deleted. */
const ofHit = (customerId: number, { id: hitId }: Hit, { id: feedbackId }: Feedback) =>
  items.feedbackOfHit({ customerId, hitId, feedbackId });
const newer = (feedback: Feedback, shown: Feedback | null = null): Feedback =>
  shown && shown.id > feedback.id ? shown : feedback;

/** Keeps new feedback with its hit, which shows it if it is the newest. */
const addToHit = (customerId: number, hit: Hit, feedback: Feedback): Write[] => [
  { put: { feedback, ...ofHit(customerId, hit, feedback), ttl: ttlOf(feedback) } },
  ...show(customerId, hit, newer(feedback, hit.feedback), feedback.createDate),
];

const feedbackItem = (customerId: number, feedback: Feedback) => ({
  ...feedback,
  ...keyOf(customerId, feedback),
  ...lists.feedbackOfSensor({ customerId, sensorId: feedback.sensorId, id: feedback.id }),
  ttl: ttlOf(feedback),
});

/** What became of a new feedback by the writes that failed; null: another change was faster. */
const createdOf = (failed: readonly number[] | null): 'done' | 'clash' | 'gone' | null => {
  if (failed === null) return 'done';
  if (failed.includes(0)) return 'clash';
  return failed.includes(1) ? 'gone' : null;
};

export const feedbackReads = (table: TableReader) => ({
  /** The feedback on a sensor, the newest first. What is older than the retention (ms) is not shown. */
  list: (customerId: number, sensorId: string, now: number, query: NewestQuery) =>
    newestPage<Feedback>(
      table,
      { pk: lists.feedbackOfSensor.pk({ customerId, sensorId }), at: lists.feedbackOfSensor.sk },
      now - RETENTION,
      query,
    ),
});

const feedbackWrites = (table: Table) => ({
  /**
   * Writes feedback with its delivery to the maker, if there is one, and keeps it in its hit. `clash`: its id is taken;
   * `gone`: its sensor or hit does not exist.
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
      return createdOf(failed);
    }),

  /** Deletes feedback, and shows the next newest at its hit; false: there is none (ms, as of `now`). */
  remove: (customerId: number, sensorId: string, id: number, now: number): Promise<boolean> =>
    retryOnConflict(async () => {
      const key = keyOf(customerId, { sensorId, id });
      const feedback = await table.get<Feedback>(key);
      if (!feedback || feedback.createDate < now - RETENTION) return false;
      const hit = await hitOf(table, customerId, feedback.ruleHitId);
      const writes: Write[] = [{ remove: key, where: present }];
      if (hit) {
        const pk = items.feedbackOfHit.pk({ customerId, hitId: hit.id });
        const query = { pk, newestFirst: true, limit: 2 };
        const { items: newest } = await table.query<{ feedback: Feedback }>(query);
        const next = newest.find((opinion) => opinion.feedback.id !== id)?.feedback ?? null;
        writes.push({ remove: ofHit(customerId, hit, feedback) }, ...show(customerId, hit, next, now));
      }
      return (await table.write(...writes)) === null || null;
    }),
});

export const feedback = (table: Table) => ({ ...feedbackReads(table), ...feedbackWrites(table) });
