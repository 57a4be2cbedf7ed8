import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { sweepCheckAt } from '#shared/domain/rule/escalation.ts';
import type { HitPosition } from '#shared/domain/rule/rule-hit.ts';
import type { Table } from '../engine/client.ts';
import { dueAt } from '../engine/due.ts';
import { absent } from '../engine/request.ts';
import { items, lists } from '../table.ts';
import { hitRange, hitsPk, isPacked, type NewHit, packedMessages, type StoredHit } from './hit-item.ts';
import type { KnownHit, recentHits } from './recent-hits.ts';

/** The item of a new hit at its place in the list. */
export const hitItemAt = (
  customerId: number,
  { id, createDate }: HitPosition,
  { hitNumber, escalationAt, cause, ...hit }: NewHit,
) => {
  const dates = { createDate, updateDate: createDate };
  const unpackedMessages = { messages: hit.messages.map((message) => ({ ...message, ...dates, ruleHitId: id })) };
  const messages: Pick<StoredHit, 'messages' | 'told'> = isPacked(hit)
    ? packedMessages(hit.messages)
    : unpackedMessages;
  const escalation = escalationAt?.(createDate);
  return {
    ...hit,
    ...dates,
    id,
    ...(escalation && { escalation, cause, ...dueAt(String(id), sweepCheckAt(escalation.at, createDate)) }),
    ...messages,
    ...lists.hitsOfSensor({ customerId, sensorId: hit.sensorId, ...hitNumber, createDate }),
    ttl: Math.ceil((createDate + EVENT_RETENTION) / 1_000),
    ...items.ruleHit({ customerId, hitId: id }),
  };
};

type RecentHits = ReturnType<typeof recentHits>;

/** Appends a hit as `append` in rule-hits.ts describes. One writer per process at a time. */
export const appendHit = async (
  { table, recent, customerId }: { table: Table; recent: RecentHits; customerId: number },
  after: HitPosition,
  hit: NewHit,
  now: number,
): Promise<HitPosition & { isNew: boolean }> => {
  // A device may use a UUID that another device has used.
  const isSame = (knownHit: KnownHit) =>
    knownHit.sensorEventId === hit.sensorEventId &&
    knownHit.sensorId === hit.sensorId &&
    knownHit.ruleId === hit.ruleId;
  const note = (hits: readonly KnownHit[]) =>
    recent.note(
      customerId,
      hits.map(({ id, createDate, sensorEventId, sensorId, ruleId }) => ({
        id,
        createDate,
        sensorEventId,
        sensorId,
        ruleId,
      })),
    );
  const passed = recent.since(customerId, after) ?? [];
  const known = passed.find(isSame);
  if (known) return { id: known.id, createDate: known.createDate, isNew: false };
  for (let last: HitPosition = passed.at(-1) ?? after; ; ) {
    const next = { id: last.id + 1, createDate: Math.max(now, last.createDate) };
    if ((await table.write({ put: hitItemAt(customerId, next, hit), where: absent })) === null) {
      note([{ ...hit, ...next }]);
      return { ...next, isNew: true };
    }
    const range = hitRange(next.id, Number.MAX_SAFE_INTEGER);
    const since = await table.queryAll<StoredHit>({ pk: hitsPk(customerId), between: range });
    note(since);
    const same = since.find(isSame);
    if (same) return { id: same.id, createDate: same.createDate, isNew: false };
    last = since.at(-1) ?? last;
  }
};
