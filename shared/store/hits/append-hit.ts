import { RETENTION } from '#shared/domain/event/event.ts';
import { lookAt } from '#shared/domain/rule/escalation.ts';
import type { HitPlace } from '#shared/domain/rule/rule-hit.ts';
import type { Table } from '../engine/client.ts';
import { dueAt } from '../engine/due.ts';
import { absent } from '../engine/request.ts';
import { items, lists } from '../table.ts';
import { between, isLong, type NewHit, packed, pkOf, type StoredHit } from './hit-item.ts';
import type { KnownHit, recentHits } from './recent-hits.ts';

/** The item of a new hit at its place in the list. */
export const hitAt = (
  customerId: number,
  { id, createDate }: HitPlace,
  { numbered, escalates, cause, ...hit }: NewHit,
) => {
  const dates = { createDate, updateDate: createDate };
  const unpackedMessages = { messages: hit.messages.map((message) => ({ ...message, ...dates, ruleHitId: id })) };
  const messages: Pick<StoredHit, 'messages' | 'told'> = isLong(hit) ? packed(hit.messages) : unpackedMessages;
  const escalation = escalates?.(createDate);
  return {
    ...hit,
    ...dates,
    id,
    ...(escalation && { escalation, cause, ...dueAt(String(id), lookAt(escalation.at, createDate)) }),
    ...messages,
    ...lists.hitsOfSensor({ customerId, sensorId: hit.sensorId, ...numbered, createDate }),
    ttl: Math.ceil((createDate + RETENTION) / 1_000),
    ...items.ruleHit({ customerId, hitId: id }),
  };
};

type RecentHits = ReturnType<typeof recentHits>;

/** Appends a hit as `append` in rule-hits.ts describes. One writer per process at a time. */
export const append = async (
  { table, recent, customerId }: { table: Table; recent: RecentHits; customerId: number },
  after: HitPlace,
  hit: NewHit,
  now: number,
): Promise<HitPlace & { isNew: boolean }> => {
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
  for (let last: HitPlace = passed.at(-1) ?? after; ; ) {
    const next = { id: last.id + 1, createDate: Math.max(now, last.createDate) };
    if ((await table.write({ put: hitAt(customerId, next, hit), where: absent })) === null) {
      note([{ ...hit, ...next }]);
      return { ...next, isNew: true };
    }
    const range = between(next.id, Number.MAX_SAFE_INTEGER);
    const since = await table.queryAll<StoredHit>({ pk: pkOf(customerId), between: range });
    note(since);
    const same = since.find(isSame);
    if (same) return { id: same.id, createDate: same.createDate, isNew: false };
    last = since.at(-1) ?? last;
  }
};
