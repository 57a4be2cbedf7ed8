import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { sweepCheckAt } from '#shared/domain/rule/escalation.ts';
import { type HitPosition, orderDateOf } from '#shared/domain/rule/hit-position.ts';
import type { Table } from '../engine/client.ts';
import { dueAt } from '../engine/due.ts';
import { absent, type Write } from '../engine/request.ts';
import { items, lists } from '../table.ts';
import { hitRange, hitsPk, isPacked, type NewHit, packedMessages, type StoredHit } from './hit-item.ts';
import { lateChangeWrite } from './late-change.ts';
import type { KnownHit, recentHits } from './recent-hits.ts';

/** Returns the item for a new hit, at its place in the list. */
export const hitItemAt = (
  customerId: number,
  { id, createDate, orderDate }: HitPosition,
  { hitNumber, escalationAt, cause, ...hit }: NewHit,
) => {
  const listDate = orderDate ?? createDate;
  const dates = { createDate, updateDate: createDate };
  const unpackedMessages = { messages: hit.messages.map((message) => ({ ...message, ...dates, ruleHitId: id })) };
  const messages: Pick<StoredHit, 'messages' | 'told'> = isPacked(hit)
    ? packedMessages(hit.messages)
    : unpackedMessages;
  const escalation = escalationAt?.(createDate);
  return {
    ...hit,
    ...dates,
    // Lists assume that a hit last changed soon after its date in the list order, unless a late change is recorded.
    ...(orderDate !== undefined && { orderDate, isLate: true as const }),
    id,
    ...(escalation && { escalation, cause, ...dueAt(String(id), sweepCheckAt(escalation.at, createDate)) }),
    ...messages,
    ...lists.hitsOfSensor({ customerId, sensorId: hit.sensorId, ...hitNumber, createDate: listDate }),
    ttl: Math.ceil((listDate + EVENT_RETENTION) / 1_000),
    ...items.ruleHit({ customerId, hitId: id }),
  };
};

const placeOf = ({ id, createDate, orderDate }: HitPosition): HitPosition => ({
  id,
  createDate,
  ...(orderDate !== undefined && { orderDate }),
});

/** Returns the writes for a new hit. */
const writesOf = (customerId: number, place: HitPosition, hit: NewHit): Write[] => {
  const item = hitItemAt(customerId, place, hit);
  return [{ put: item, where: absent }, ...(item.isLate ? [lateChangeWrite(customerId, item, place.createDate)] : [])];
};

/** Returns the position after `last` for a hit created at `now` (ms). */
const positionAfter = (last: HitPosition, now: number): HitPosition => {
  const before = orderDateOf(last);
  return { id: last.id + 1, createDate: now, ...(before > now && { orderDate: before }) };
};

type RecentHits = ReturnType<typeof recentHits>;

/** Appends a hit as described for `append` in rule-hits.ts. Only one writer per process may run at a time. */
export const appendHit = async (
  { table, recent, customerId }: { table: Table; recent: RecentHits; customerId: number },
  after: HitPosition,
  hit: NewHit,
  now: number,
): Promise<HitPosition & { isNew: boolean }> => {
  // Two devices may use the same UUID.
  const isSame = (knownHit: KnownHit) =>
    knownHit.sensorEventId === hit.sensorEventId &&
    knownHit.sensorId === hit.sensorId &&
    knownHit.ruleId === hit.ruleId;
  const note = (hits: readonly KnownHit[]) =>
    recent.note(
      customerId,
      hits.map((known) => {
        const { sensorEventId, sensorId, ruleId } = known;
        return { ...placeOf(known), sensorEventId, sensorId, ruleId };
      }),
    );
  const passed = recent.since(customerId, after) ?? [];
  const known = passed.find(isSame);
  if (known) return { ...placeOf(known), isNew: false };
  for (let last: HitPosition = passed.at(-1) ?? after; ; ) {
    const next = positionAfter(last, now);
    if ((await table.write(...writesOf(customerId, next, hit))) === null) {
      note([{ ...hit, ...next }]);
      return { ...next, isNew: true };
    }
    const range = hitRange(next.id, Number.MAX_SAFE_INTEGER);
    const since = await table.queryAll<StoredHit>({ pk: hitsPk(customerId), between: range });
    note(since);
    const same = since.find(isSame);
    if (same) return { ...placeOf(same), isNew: false };
    last = since.at(-1) ?? last;
  }
};
