import { fallOfKey, firstKeyOf } from '#shared/domain/event/fall-key.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { type UrgentSituation, urgentSituationOf } from '#shared/domain/rule/alarm.ts';
import { isAnsweredAlike } from '#shared/domain/rule/noted-acknowledgement.ts';
import type { Table, TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { type HitItem, hitOf, hitsPk, type StoredHit } from '../hits/hit-item.ts';
import type { EventItem } from '../sensors/events.ts';
import { items } from '../table.ts';
import { answeredHit } from './acknowledged-hit.ts';
import { endUnnotified } from './end-unnotified.ts';
import {
  answerKeyOf,
  answerTo,
  checkAnswer,
  coversAll,
  type FallAnswer,
  type FallRef,
  readStored,
  type StoredAnswer,
} from './fall-answer.ts';
import { setNewest } from './fall-changes.ts';
import { unnotifiedReads } from './unnotified.ts';

/** By how much (ms) a hit date may precede the start of the fall, because device and host clocks differ. */
const MAX_CLOCK_AHEAD_MS = 6 * 60_000;
/** How long (ms) after the start of a fall to search for alarms. */
const MAX_ALARM_AFTER_MS = 2 * 3_600_000;
/** The number of hits on the first and on the largest page in a search. Usually only a few are newer than the fall. */
const PAGE = { first: 4, most: 256 };

/** Whether a key belongs to an alarm in a fall. */
const isOf = (key: string | undefined, fall: string): key is string =>
  key !== undefined && firstKeyOf(key) === firstKeyOf(fall);

/** Returns the hits for a fall. The customer's newest hits are read consistently, until one is older than the fall. */
const hitsOfFall = async (table: TableReader, { customerId, sensorId, fall }: FallRef): Promise<HitItem[]> => {
  const since = fallOfKey(fall).began - MAX_CLOCK_AHEAD_MS;
  const found: StoredHit[] = [];
  let startAfter: Item | undefined;
  let limit = PAGE.first;
  do {
    const query = { pk: hitsPk(customerId), beginsWith: 'HIT#', newestFirst: true, limit, startAfter };
    const { items: page, next } = await table.query<StoredHit>(query);
    found.push(...page.filter((hit) => hit.sensorId === sensorId && isOf(hit.fall, fall)));
    startAfter = page.some(({ createDate }) => createDate < since) ? undefined : next;
    limit = Math.min(PAGE.most, 4 * limit);
  } while (startAfter);
  return found.map(hitOf);
};

/**
 * Returns the part of the answer to a fall that applies to a hit. A hit for an earlier alarm keeps its own
 * acknowledgement.
 */
const answerToHit = ({ fall = '', acknowledgement: own }: HitItem, stored: StoredAnswer): FallAnswer => {
  const answer = answerTo(stored, fall);
  const { newest = 0 } = stored;
  const isKept =
    own && answer.acknowledgement && fallOfKey(fall).start < newest && own.date < answer.acknowledgement.date;
  return isKept ? { ...answer, acknowledgement: own } : answer;
};

/** Updates the hits for a fall to match the answer. Returns the hits it changed, and whether all hits now match. */
const settleHits = async (table: Table, ref: FallRef, stored: StoredAnswer, now: number) => {
  const hits = await hitsOfFall(table, ref);
  const others = hits.filter((hit) => !isAnsweredAlike(hit, answerToHit(hit, stored)));
  const settled = others.map(async (before) => {
    const { hit, writes } = answeredHit(ref.customerId, before, answerToHit(before, stored), now);
    return (await table.write(...writes, checkAnswer(ref, stored))) === null ? hit : null;
  });
  const found = (await Promise.all(settled)).filter((hit) => hit !== null);
  return { found, isSettled: found.length === others.length };
};

/** Ends the event alarms for a fall that no one was notified of. Hit alarms end when the hits are acknowledged. */
const endEventAlarms = async (
  table: Table,
  { customerId, sensorId, fall: key }: FallRef,
  stored: StoredAnswer,
): Promise<void> => {
  const alarms = await unnotifiedReads(table).list(customerId);
  const ofEvents = alarms.filter(
    ({ hitId, sensorId: id, fall }) =>
      hitId === null && id === sensorId && isOf(fall, key) && answerTo(stored, fall).acknowledgement,
  );
  for (const { alarmId } of ofEvents) await table.write(endUnnotified(customerId, alarmId));
};

/**
 * Records another alarm in a fall, which cancels an earlier acknowledgement. Safe to repeat: later alarms, and
 * acknowledgements since then, remain.
 */
export const recordAlarm = (table: Table, ref: FallRef): Promise<true> =>
  retryOnConflict(async () => {
    const stored = await readStored(table, ref);
    const { start, began } = fallOfKey(ref.fall);
    if (start <= (stored.newest ?? began)) return true;
    return (await table.write(setNewest(ref, stored))) === null ? true : null;
  });

/** Updates all hits for a fall to match the answer (fall-answers.ts). */
export const settleFall = (table: Table, ref: FallRef, now: number): Promise<HitItem[]> => {
  const changed: HitItem[] = [];
  return retryOnConflict(async () => {
    const stored = await readStored(table, ref);
    const { found, isSettled } = await settleHits(table, ref, stored, now);
    changed.push(...found);
    if (!isSettled) return null;
    if (stored.acknowledgement) await endEventAlarms(table, ref, stored);
    return changed;
  });
};

/** An event that is an alarm. */
export type AlarmEvent = Pick<EventItem, 'uuid' | 'source' | 'receiveDate'>;
/** Such an event for a fall that no one has acknowledged, with the hits for it. */
type UnansweredAlarm = AlarmEvent & { situation: UrgentSituation; hitIds: number[] };

/** Returns the unacknowledged alarms among the events in a fall. Empty if all have been acknowledged. */
export const unansweredAlarms = async (table: TableReader, ref: FallRef): Promise<UnansweredAlarm[]> => {
  const { customerId, sensorId, fall } = ref;
  const stored = await readStored(table, ref);
  if (coversAll(stored)) return [];
  const { began, start } = fallOfKey(fall);
  const skAt = (time: number) => items.event.sk({ eventId: firstIdAt(time), uuid: '' });
  const between = [skAt(began), skAt(Math.max(start, stored.newest ?? 0) + MAX_ALARM_AFTER_MS)] as const;
  const found = await table.queryAll<EventItem>({ pk: items.event.pk({ customerId, sensorId }), between });
  const ofFall = found.filter((event) => {
    const key = answerKeyOf(event);
    return isOf(key, fall) && !answerTo(stored, key).acknowledgement;
  });
  const hits = ofFall.length > 0 ? await hitsOfFall(table, ref) : [];
  return ofFall.flatMap((event): UnansweredAlarm[] => {
    const { uuid, source, receiveDate } = event;
    const situation = urgentSituationOf(event);
    const hitIds = hits.filter((hit) => hit.sensorEventId === uuid).map(({ id }) => id);
    return situation ? [{ uuid, source, receiveDate, situation, hitIds }] : [];
  });
};
