import { fallOfKey } from '#shared/domain/event/fall-key.ts';
import { isAnsweredAlike } from '#shared/domain/rule/noted-acknowledgement.ts';
import type { Table, TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { type HitItem, hitOf, hitsPk, type StoredHit } from '../hits/hit-item.ts';
import { answeredHit } from './acknowledged-hit.ts';
import { endUnnotified } from './end-unnotified.ts';
import { checkAnswer, type FallAnswer, type FallRef, readAnswer } from './fall-answer.ts';
import { unnotifiedReads } from './unnotified.ts';

/** How long (ms) before the start of a fall its hits may be dated: clocks of devices and of hosts differ. */
const MAX_CLOCK_AHEAD_MS = 6 * 60_000;
/** The number of hits on the first and on the largest page of a search. Usually only a few are newer than the fall. */
const PAGE = { first: 4, most: 256 };

/** Returns the hits of a fall. The newest hits of the customer are read consistently, until one is older than the fall. */
const hitsOfFall = async (table: TableReader, { customerId, sensorId, fall }: FallRef): Promise<HitItem[]> => {
  const since = fallOfKey(fall).start - MAX_CLOCK_AHEAD_MS;
  const found: StoredHit[] = [];
  let startAfter: Item | undefined;
  let limit = PAGE.first;
  do {
    const query = { pk: hitsPk(customerId), beginsWith: 'HIT#', newestFirst: true, limit, startAfter };
    const { items: page, next } = await table.query<StoredHit>(query);
    found.push(...page.filter((hit) => hit.sensorId === sensorId && hit.fall === fall));
    startAfter = page.some(({ createDate }) => createDate < since) ? undefined : next;
    limit = Math.min(PAGE.most, 4 * limit);
  } while (startAfter);
  return found.map(hitOf);
};

/** Updates the hits of a fall to match the answer to it. Returns those that it changed, and whether all of them match now. */
const settleHits = async (table: Table, ref: FallRef, answer: FallAnswer, now: number) => {
  const hits = await hitsOfFall(table, ref);
  const others = hits.filter((hit) => !isAnsweredAlike(hit, answer));
  const settled = others.map(async (before) => {
    const { hit, writes } = answeredHit(ref.customerId, before, answer, now);
    return (await table.write(...writes, checkAnswer(ref, answer))) === null ? hit : null;
  });
  const found = (await Promise.all(settled)).filter((hit) => hit !== null);
  return { found, isSettled: found.length === others.length };
};

/** Ends the alarms of the events of a fall that nobody was notified of. Those of its hits end with their acknowledgement. */
const endEventAlarms = async (table: Table, { customerId, sensorId, fall }: FallRef): Promise<void> => {
  const alarms = await unnotifiedReads(table).list(customerId);
  const ofEvents = alarms.filter((alarm) => alarm.hitId === null && alarm.sensorId === sensorId && alarm.fall === fall);
  for (const { alarmId } of ofEvents) await table.write(endUnnotified(customerId, alarmId));
};

/** Updates all hits of a fall to match the answer to it (fall-answers.ts). */
export const settleFall = (table: Table, ref: FallRef, now: number): Promise<HitItem[]> => {
  const changed: HitItem[] = [];
  return retryOnConflict(async () => {
    const answer = await readAnswer(table, ref);
    const { found, isSettled } = await settleHits(table, ref, answer, now);
    changed.push(...found);
    if (!isSettled) return null;
    if (answer.acknowledgement) await endEventAlarms(table, ref);
    return changed;
  });
};
