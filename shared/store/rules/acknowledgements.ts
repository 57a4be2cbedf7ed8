import { uuidV5 } from '#shared/domain/ids.ts';
import type { Acknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Table } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { type HitItem, hitOf, type StoredHit } from '../hits/hit-item.ts';
import { isSoonChange, lateChangeWrite } from '../hits/late-change.ts';
import { type NoticeItem, putNotice } from '../sensors/events.ts';
import { items } from '../table.ts';
import { endUnnotified, unansweredId } from './end-unnotified.ts';
import { dueRound } from './escalations.ts';

type HitKey = { customerId: number; hitId: number };
type AcknowledgedHit = HitItem & { acknowledgement: Acknowledgement };
/** A hit with the acknowledgement that is valid; `notice`: the notice to process, if the acknowledgement is new. */
type AcknowledgeResult = { hit: AcknowledgedHit; notice: NoticeKey | null };
type NoticeKey = { customerId: number; sensorId: string; uuid: string; receiveDate: number };

/** Returns a hit unless it is older than `since` (ms), even if it has not been removed yet. */
const visibleHit = async (table: Table, key: HitKey, since: number): Promise<HitItem | null> => {
  const hit = await table.get<StoredHit>(items.ruleHit(key));
  return hit && hit.createDate >= since && !hit.isErased ? hitOf(hit) : null;
};

/** The condition that a hit is as it was read. Two changes may have the same date, so the acknowledgement counts too. */
const unchanged = ({ updateDate: was, acknowledgement: seen, isUnnotified }: HitItem, isSoon: boolean) =>
  where(
    `#updateDate = :was AND ${seen ? '#acknowledgement = :seen' : 'attribute_not_exists(#acknowledgement)'}` +
      `${isSoon ? ' AND attribute_not_exists(#isLate)' : ''} AND attribute_${isUnnotified ? '' : 'not_'}exists(#isUnnotified)`,
    { was, ...(seen && { seen }) },
  );

/** Sets or removes the acknowledgement of a hit as it was read. A late change is also recorded for lists. */
const change = (
  { customerId, hitId }: HitKey,
  hit: HitItem,
  acknowledgement: Acknowledgement | null,
  time: number,
): Write[] => {
  const isSoon = !hit.isLate && isSoonChange(hit, time);
  // Without an acknowledgement the escalation continues.
  const due = !acknowledgement && hit.escalation && dueRound(hitId, hit.escalation, time);
  const set = {
    updateDate: time,
    ...(!isSoon && { isLate: true }),
    ...(acknowledgement && { acknowledgement }),
    ...due,
  };
  const endsUnnotified = acknowledgement !== null && hit.isUnnotified;
  const remove = [...(acknowledgement ? [] : ['acknowledgement']), ...(endsUnnotified ? ['isUnnotified'] : [])];
  const update = changes({ set, remove, if: unchanged(hit, isSoon) });
  return [
    { update: items.ruleHit({ customerId, hitId }), changes: update },
    ...(isSoon ? [] : [lateChangeWrite(customerId, hit, time)]),
    ...(endsUnnotified ? [endUnnotified(customerId, String(hitId))] : []),
    ...(acknowledgement && hit.unansweredDate !== undefined ? [endUnnotified(customerId, unansweredId(hitId))] : []),
  ];
};

/** Returns the notice of an acknowledgement, and its write. */
const noticeOf = (customerId: number, { id: ruleHitId, sensorId }: HitItem, acknowledgement: Acknowledgement) => {
  const { date: receiveDate } = acknowledgement;
  const uuid = uuidV5(sensorId, 'acknowledged', ruleHitId, receiveDate);
  const item: NoticeItem = { notice: 'acknowledged', receiveDate, acknowledgement: { ruleHitId, ...acknowledgement } };
  return {
    notice: { customerId, sensorId, uuid, receiveDate },
    write: putNotice({ customerId, sensorId }, uuid, item),
  };
};

const acknowledgementWrites = (table: Table) => ({
  /**
   * Acknowledges a hit created at `since` (ms) or later. If somebody has acknowledged it before, that acknowledgement
   * remains. The notice is written in the same transaction. Null if there is no such hit.
   */
  make: async (key: HitKey, acknowledgement: Acknowledgement, since: number): Promise<AcknowledgeResult | null> => {
    const { customerId } = key;
    const result = await retryOnConflict(async () => {
      const hit = await visibleHit(table, key, since);
      const { acknowledgement: earlier } = hit ?? {};
      if (!hit || earlier) return { found: hit && earlier && { ...hit, acknowledgement: earlier }, notice: null };
      const writes = change(key, hit, acknowledgement, acknowledgement.date);
      const { notice, write } = noticeOf(customerId, hit, acknowledgement);
      const failed = await table.write(...writes, write);
      return failed === null ? { found: { ...hit, updateDate: acknowledgement.date, acknowledgement }, notice } : null;
    });
    return result.found ? { hit: result.found, notice: result.notice } : null;
  },

  /**
   * Withdraws the acknowledgement of a hit at `now` (ms) and returns the hit. Null if there is no hit since `since`;
   * `refused` if the acknowledgement must not be withdrawn.
   */
  withdraw: async (
    key: HitKey,
    isAllowed: (acknowledgement: Acknowledgement) => boolean,
    since: number,
    now: number,
  ): Promise<HitItem | 'refused' | null> => {
    const result = await retryOnConflict(async () => {
      const found = await visibleHit(table, key, since);
      if (!found?.acknowledgement) return { found };
      const { acknowledgement, ...hit } = found;
      if (!isAllowed(acknowledgement)) return { found: 'refused' as const };
      const writes = change(key, found, null, now);
      return (await table.write(...writes)) === null ? { found: { ...hit, updateDate: now } } : null;
    });
    return result.found;
  },
});

export const acknowledgements = (table: Table) => acknowledgementWrites(table);
