import { uuidV5 } from '#shared/domain/ids.ts';
import type { Acknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Table } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { type HitItem, type StoredHit, unpacked } from '../hits/hit-item.ts';
import { noteLateChange, SOON } from '../hits/late-change.ts';
import { type NoticeItem, putNotice } from '../sensors/events.ts';
import { items } from '../table.ts';
import { dueRound } from './escalations.ts';

type Place = { customerId: number; hitId: number };
type Taken = HitItem & { acknowledgement: Acknowledgement };
/** A hit with the acknowledgement that stands; `notice`: what is to be told of it, if it is new. */
type Acknowledged = { hit: Taken; notice: NoticeKey | null };
type NoticeKey = { customerId: number; sensorId: string; uuid: string; receiveDate: number };

/** A hit that is shown since a time (ms): expiry removes it later. */
const shownHit = async (table: Table, place: Place, since: number): Promise<HitItem | null> => {
  const hit = await table.get<StoredHit>(items.ruleHit(place));
  return hit && hit.createDate >= since && !hit.isErased ? unpacked(hit) : null;
};

/** Of two changes in the same millisecond, and of the same acknowledgement, only the first must be made. */
const unchanged = ({ updateDate: was, acknowledgement: shown }: HitItem, isSoon: boolean) =>
  where(
    `#updateDate = :was AND ${shown ? '#acknowledgement = :shown' : 'attribute_not_exists(#acknowledgement)'}` +
      `${isSoon ? ' AND attribute_not_exists(#isLate)' : ''}`,
    { was, ...(shown && { shown }) },
  );

/** Sets or removes the acknowledgement of a hit as it was read. Lists see a late change of it by a note. */
const change = ({ customerId, hitId }: Place, hit: HitItem, acknowledgement: Acknowledgement | null, time: number) => {
  const updateDate = Math.max(time, hit.updateDate);
  const isSoon = !hit.isLate && updateDate <= hit.createDate + SOON;
  // Once nobody takes care of it, its escalation goes on. What is looked at after that has been acknowledged rests.
  const due = !acknowledgement && hit.escalation && dueRound(hitId, hit.escalation, time);
  const set = { updateDate, ...(!isSoon && { isLate: true }), ...(acknowledgement && { acknowledgement }), ...due };
  const remove = acknowledgement ? [] : ['acknowledgement'];
  const update = changes({ set, remove, if: unchanged(hit, isSoon) });
  const writes: Write[] = [
    { update: items.ruleHit({ customerId, hitId }), changes: update },
    ...(isSoon ? [] : [noteLateChange(customerId, hit, updateDate)]),
  ];
  return { updateDate, writes };
};

/** The notice of an acknowledgement, and the write of it. */
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
   * Acknowledges a hit that was made `since` a time (ms) or later, unless somebody has: then that one stands. One
   * transaction decides, with the notice of it. Null: there is no such hit.
   */
  make: async (place: Place, given: Acknowledgement, since: number): Promise<Acknowledged | null> => {
    const { customerId } = place;
    const made = await retryOnConflict(async () => {
      const hit = await shownHit(table, place, since);
      const { acknowledgement } = hit ?? {};
      if (!hit || acknowledgement)
        return { found: hit && acknowledgement && { ...hit, acknowledgement }, notice: null };
      const { updateDate, writes } = change(place, hit, given, given.date);
      const { notice, write } = noticeOf(customerId, hit, given);
      const failed = await table.write(...writes, write);
      return failed === null ? { found: { ...hit, updateDate, acknowledgement: given }, notice } : null;
    });
    return made.found ? { hit: made.found, notice: made.notice } : null;
  },

  /**
   * Takes the acknowledgement of a hit back at a time (ms), and gives the hit. Null: there is no hit since `since`;
   * `refused`: it is one that may not be taken back.
   */
  takeBack: async (
    place: Place,
    isAllowed: (shown: Acknowledgement) => boolean,
    since: number,
    now: number,
  ): Promise<HitItem | 'refused' | null> => {
    const taken = await retryOnConflict(async () => {
      const found = await shownHit(table, place, since);
      if (!found?.acknowledgement) return { found };
      const { acknowledgement, ...hit } = found;
      if (!isAllowed(acknowledgement)) return { found: 'refused' as const };
      const { updateDate, writes } = change(place, found, null, now);
      return (await table.write(...writes)) === null ? { found: { ...hit, updateDate } } : null;
    });
    return taken.found;
  },
});

export const acknowledgements = (table: Table) => acknowledgementWrites(table);
