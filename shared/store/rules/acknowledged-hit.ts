import type { TableReader } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';
import { type HitItem, hitOf, type StoredHit } from '../hits/hit-item.ts';
import { isSoonChange, lateChangeWrite } from '../hits/late-change.ts';
import { items } from '../table.ts';
import { endUnnotified, unansweredId } from './end-unnotified.ts';
import { dueRound } from './escalations.ts';
import type { FallAnswer, FallRef } from './fall-answer.ts';

export type HitKey = { customerId: number; hitId: number };

/** Returns a hit unless it is older than `since` (ms), even if it has not been removed yet. */
export const visibleHit = async (
  table: TableReader,
  { customerId, hitId }: HitKey,
  since: number,
): Promise<HitItem | null> => {
  const hit = await table.get<StoredHit>(items.ruleHit({ customerId, hitId }));
  return hit && hit.createDate >= since && !hit.isErased ? hitOf(hit) : null;
};

/** Returns the fall a hit is about, or null if there is none. */
export const fallOfHit = (
  customerId: number,
  { sensorId, fall }: Pick<HitItem, 'sensorId' | 'fall'>,
): FallRef | null => (fall === undefined ? null : { customerId, sensorId, fall });

/**
 * Requires a hit to be unchanged since it was read. Two changes may have the same date, so the acknowledgement is
 * compared too.
 */
const unchanged = ({ updateDate: was, acknowledgement: seen, isUnnotified }: HitItem, isSoon: boolean) =>
  where(
    `#updateDate = :was AND ${seen ? '#acknowledgement = :seen' : 'attribute_not_exists(#acknowledgement)'}` +
      `${isSoon ? ' AND attribute_not_exists(#isLate)' : ''} AND attribute_${isUnnotified ? '' : 'not_'}exists(#isUnnotified)`,
    { was, ...(seen && { seen }) },
  );

/**
 * Returns the resulting hit, and the writes that set or remove its acknowledgement, along with the fall closure. The
 * writes fail if the hit has changed since it was read. A late change is also recorded for lists.
 */
export const answeredHit = (
  customerId: number,
  before: HitItem,
  { acknowledgement, closure }: FallAnswer,
  time: number,
): { hit: HitItem; writes: Write[] } => {
  const { acknowledgement: _, ...hit } = before;
  const { id: hitId } = hit;
  const isSoon = !hit.isLate && isSoonChange(hit, time);
  // Without an acknowledgement, the escalation continues.
  const due = !acknowledgement && hit.escalation && dueRound(hitId, hit.escalation, time);
  const set = {
    updateDate: time,
    ...(!isSoon && { isLate: true }),
    ...(acknowledgement && { acknowledgement }),
    ...(closure && { closure }),
    ...due,
  };
  const endsUnnotified = acknowledgement && hit.isUnnotified;
  const remove = [...(acknowledgement ? [] : ['acknowledgement']), ...(endsUnnotified ? ['isUnnotified'] : [])];
  const update = changes({ set, remove, if: unchanged(before, isSoon) });
  const writes: Write[] = [
    { update: items.ruleHit({ customerId, hitId }), changes: update },
    ...(isSoon ? [] : [lateChangeWrite(customerId, hit, time)]),
    ...(endsUnnotified ? [endUnnotified(customerId, String(hitId))] : []),
    ...(acknowledgement && hit.unansweredDate !== undefined ? [endUnnotified(customerId, unansweredId(hitId))] : []),
  ];
  const next = { ...hit, updateDate: time, ...(acknowledgement && { acknowledgement }), ...(closure && { closure }) };
  return { hit: next, writes };
};
