import { keyedMutex } from '../concurrency/keyed-mutex.ts';
import { RETENTION } from '../domain/event.ts';
import { sorted } from '../domain/page.ts';
import type { HitPlace } from '../domain/rule-hit.ts';
import { append } from './append-hit.ts';
import type { Table, TableReader } from './client.ts';
import { between, firstId, type HitItem, listOf, type NewHit, pkOf } from './hit-item.ts';
import { edgeOf, firstSince, restOf, type Window } from './hit-window.ts';
import { lookFor } from './look.ts';
import { KEYS, listKeys } from './newest.ts';
import { recentHits } from './recent-hits.ts';
import { items } from './table.ts';

/** So many hits of a sensor are read for the date of their last change. */
const DATED = 100;
/** Which hits a page shows. */
export type HitQuery = { page: number; perPage: number; sortBy: string; after?: number | undefined };

/** Some hits by their ids, in the order of the ids given. Like the index that most ids come from, they may lag. */
const some = async (table: TableReader, customerId: number, ids: readonly number[]): Promise<HitItem[]> => {
  const found = await table.getAllEventual<HitItem>(ids.map((hitId) => items.ruleHit({ customerId, hitId })));
  const byId = new Map(found.map((hit) => [hit.id, hit]));
  return ids.map((id) => byId.get(id)).filter((hit) => hit !== undefined);
};

export const ruleHitReads = (table: TableReader) => ({
  get: (customerId: number, hitId: number) => table.get<HitItem>(items.ruleHit({ customerId, hitId })),

  /** The place of the newest hit, or the one before the first. What was appended since may be missing. */
  tail: async (customerId: number): Promise<HitPlace> => {
    const newest = await edgeOf(table, customerId, true, false);
    return newest ? { id: newest.id, createDate: newest.createDate } : { id: firstId(customerId), createDate: 0 };
  },

  /** The hits of the last 120 days by date, not by what expiry has removed already: counted without reading them. */
  window: async (customerId: number, now: number): Promise<Window | null> => {
    const since = now - RETENTION;
    const [oldest, newest] = await Promise.all([edgeOf(table, customerId, false), edgeOf(table, customerId, true)]);
    if (!oldest || !newest || newest.createDate < since) return null;
    const isWhole = oldest.createDate >= since;
    const first = isWhole ? oldest.id : await firstSince(table, customerId, oldest.id + 1, newest.id, since);
    return { first, last: newest.id };
  },

  /** The hits with the ids from..to, in the order of their ids. */
  range: (customerId: number, from: number, to: number) =>
    table.queryAll<HitItem>({ pk: pkOf(customerId), between: between(from, to) }),

  /** A page of the ids of a sensor's hits within a window; `sortBy` as in the API. */
  idsOfSensor: async (customerId: number, sensorId: string, window: Window, query: HitQuery) => {
    const { sortBy } = query;
    const newestFirst = sortBy.startsWith('desc');
    return lookFor(query, KEYS, async (after: number | undefined, limit) => {
      const { first, last } = restOf(window, newestFirst, after);
      const range = [first, last] as const;
      const { rows, next } = await listKeys(table, listOf(customerId, sensorId), range, { newestFirst, limit });
      const ids = rows.map(({ listSk }) => Number(listSk));
      if (!sortBy.includes('updateDate')) return { rows: ids, next };
      const dated = await some(table, customerId, ids.slice(0, DATED));
      return { rows: [...sorted(dated, sortBy).map(({ id }) => id), ...ids.slice(DATED)], next };
    });
  },

  /**
   * Ids and dates of the last change, of all hits in a window. Reads all of them, and hands over next to nothing. May lag:
   * an order by this date moves on while it is read anyway.
   */
  changeDates: async (customerId: number, { first, last }: Window) =>
    table.queryAll<Pick<HitItem, 'id' | 'updateDate'>>({
      pk: pkOf(customerId),
      between: between(first, last),
      only: ['id', 'updateDate'],
      consistent: false,
    }),

  /** Some hits by their ids, in the order of the ids given. */
  some: (customerId: number, ids: readonly number[]) => some(table, customerId, ids),
});

/** How long (ms) the next hit of a customer waits for the one before. A try without an answer takes 2 s. */
const LONGEST_TURN = 3_000;

export const ruleHitWrites = (table: Table, mutex = keyedMutex(LONGEST_TURN), recent = recentHits()) => ({
  /**
   * Appends a hit to the hits of its customer, once for its event and rule. Returns its place, and whether it is new. Ids
   * have no gaps, so lists are counted by subtraction: a writer takes the place after the last one that it knows of, and
   * the next one when that is taken. Writers of one process wait for each other and begin where the one before ended, else
   * most of them would fail. `after`: a place from before the decision was made. A process that applies the same decision
   * again passes every place since then, and so finds the hit if it was written.
   */
  append: (customerId: number, after: HitPlace, hit: NewHit, now: number): Promise<HitPlace & { isNew: boolean }> =>
    mutex(customerId, () => append(table, recent, customerId, after, hit, now)),

  /**
   * Reports attempts to send one message of a hit, by their starts; a success stays one whatever comes later. What was
   * reported before is left out: a crash makes that happen.
   */
  report: async (
    customerId: number,
    hitId: number,
    at: number,
    tries: readonly number[],
    sent: boolean,
    now: number,
  ): Promise<void> => {
    const message = `messages[${at}]`;
    const [first, ...rest] = tries;
    if (first === undefined) return;
    const reported = await table.update(items.ruleHit({ customerId, hitId }), {
      UpdateExpression:
        `SET ${message}.sendTryTimes = list_append(${message}.sendTryTimes, :tries), ` +
        `${message}.updateDate = :now, updateDate = :now${sent ? `, ${message}.wasSend = :sent` : ''}`,
      // A repeated decision may name a recipient whom the hit does not have.
      ConditionExpression: `attribute_exists(${message}.sendTryTimes) AND NOT contains(${message}.sendTryTimes, :first)`,
      ExpressionAttributeValues: { ':tries': tries, ':now': now, ':first': first, ...(sent && { ':sent': true }) },
    });
    if (!reported) await ruleHitWrites(table).report(customerId, hitId, at, rest, sent, now);
  },
});

export const ruleHits = (table: Table) => ({ ...ruleHitReads(table), ...ruleHitWrites(table) });
