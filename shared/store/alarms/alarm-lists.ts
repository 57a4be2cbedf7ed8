import type { Format } from '#shared/domain/formats/format.ts';
import type { UrgentSituation } from '#shared/domain/rule/alarm.ts';
import type { AlarmState } from '#shared/domain/rule/alarm-view.ts';
import type { TableReader } from '../engine/client.ts';
import type { AlarmCursor } from './alarm-cursor.ts';
import { alarmOf, type DetailContext, type ListedAlarm } from './alarm-details.ts';
import { type AlarmSpan, type AlarmWalk, type Candidate, walkAlarms } from './alarm-walk.ts';

/** List filters. An empty filter matches everything. */
export type AlarmFilter = AlarmSpan & {
  situations: readonly UrgentSituation[];
  states: readonly AlarmState[];
};

/** A part of a list, newest first, and where it continues; null at the end. */
type AlarmPart = { alarms: ListedAlarm[]; next: AlarmCursor | null };

type PartRequest = { limit: number; after: AlarmCursor | null; hooks: Readonly<Record<string, Format>>; now: number };

/** The smallest and largest number of alarms whose details are read at once. */
const BATCH = { least: 10, most: 50 };
const MAX_CANDIDATES = 400;

/** Takes the next candidates from a walk; fewer than `count` at the end. */
const takeFrom = async (walk: AlarmWalk, count: number): Promise<Candidate[]> => {
  const taken: Candidate[] = [];
  while (taken.length < count) {
    const candidate = await walk.next();
    if (!candidate) break;
    taken.push(candidate);
  }
  return taken;
};

type Row = { alarm: ListedAlarm; cursor: AlarmCursor };

/** Returns the rows for candidates matching a filter. */
const rowsOf = async (
  context: DetailContext,
  { situations, states }: AlarmFilter,
  candidates: readonly Candidate[],
): Promise<Row[]> => {
  const wanted = candidates.filter(({ situation }) => situations.length === 0 || situations.includes(situation));
  const rows = await Promise.all(
    wanted.map(async (candidate): Promise<Row[]> => {
      const alarm = await alarmOf(context, candidate);
      return alarm ? [{ alarm, cursor: candidate.cursor }] : [];
    }),
  );
  return rows.flat().filter(({ alarm }) => states.length === 0 || states.includes(alarm.state));
};

/** Alarms as shown in lists. They are read from data stored for other purposes, and may lag by a second. */
export const alarmLists = (table: TableReader) => ({
  /**
   * Returns a part of a customer's alarms. One request reads a bounded number of hits, so it may return fewer alarms
   * than requested even if there are more. Consecutive parts contain each alarm once, whatever happens between the
   * requests.
   */
  page: async (filter: AlarmFilter, { limit, after, hooks, now }: PartRequest): Promise<AlarmPart> => {
    const { customerId, states } = filter;
    const walk = await walkAlarms(table, filter, after);
    const context = { table, customerId, hooks, now, hits: walk.hits, hasNewer: walk.hasNewer };
    const rows: Row[] = [];
    let isEnd = false;
    for (let read = 0; !isEnd && rows.length < limit && read < MAX_CANDIDATES; ) {
      const missing = limit - rows.length;
      const size = Math.min(BATCH.most, states.length === 0 ? missing : Math.max(BATCH.least, missing));
      const candidates = await takeFrom(walk, size);
      isEnd = candidates.length < size;
      read += candidates.length;
      rows.push(...(await rowsOf(context, filter, candidates)));
    }
    const alarms = rows.slice(0, limit).map(({ alarm }) => alarm);
    const isCut = rows.length > limit;
    return { alarms, next: isCut ? (rows[limit - 1]?.cursor ?? null) : walk.rest() };
  },
});
