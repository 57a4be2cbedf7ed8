import { keyedMutex } from '../concurrency/keyed-mutex.ts';
import { RETENTION } from '../domain/event.ts';
import type { Feedback } from '../domain/feedback.ts';
import { sorted } from '../domain/page.ts';
import type { HitPlace, RuleHit, RuleMessage } from '../domain/rule-hit.ts';
import type { Table, TableReader } from './client.ts';
import { lookFor } from './look.ts';
import { KEYS, listKeys } from './newest.ts';
import { type Placed, recentHits } from './recent-hits.ts';
import { absent } from './request.ts';
import { items, lists } from './table.ts';

/** A hit as it is stored. `sensor` is looked up when it is read; `allSend` follows from the messages. */
export type HitItem = Omit<RuleHit, 'sensor' | 'feedback' | 'allSend' | 'ruleMessages'> & {
  messages: RuleMessage[];
  /** The newest, kept in step by feedback.ts. */
  feedback?: Feedback | null;
};
/** A hit that has no place yet: its id and dates, and those of its messages, follow from where it is appended. */
export type NewHit = Omit<HitItem, 'id' | 'createDate' | 'updateDate' | 'messages'> & {
  messages: Omit<RuleMessage, 'ruleHitId' | 'createDate' | 'updateDate'>[];
};

/** Ids of one customer's hits are dense: this many of them before those of the next customer. */
const IDS = 2 ** 32;
/** The place before the first hit of a customer. */
export const firstId = (customerId: number): number => customerId * IDS;

const pkOf = (customerId: number) => items.ruleHit.pk({ customerId });
const between = (from: number, to: number) =>
  [items.ruleHit.sk({ hitId: Math.max(0, from) }), items.ruleHit.sk({ hitId: Math.max(0, to) })] as const;
const listOf = (customerId: number, sensorId: string) => lists.hitsOfSensor({ customerId, sensorId });

/** The ids of the hits that are no older than the retention; they follow each other without a gap. */
export type Window = { first: number; last: number };

const edgeOf = async (
  table: TableReader,
  customerId: number,
  newestFirst: boolean,
  consistent = true,
): Promise<HitItem | null> => {
  const query = { pk: pkOf(customerId), beginsWith: 'HIT#', newestFirst, limit: 1, consistent };
  return (await table.query<HitItem>(query)).items[0] ?? null;
};

/** The first id in `low..high` whose hit is no older than `since`. Expiry may have removed any older one. */
const firstSince = async (
  table: TableReader,
  customerId: number,
  low: number,
  high: number,
  since: number,
): Promise<number> => {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    // Their dates never change, and those around the edge are months old.
    const hit = await table.getEventual<HitItem>(items.ruleHit({ customerId, hitId: middle }));
    if (hit && hit.createDate >= since) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** What of a window comes behind a hit. */
export const restOf = ({ first, last }: Window, newestFirst: boolean, after: number | undefined): Window => {
  if (after === undefined) return { first, last };
  return newestFirst ? { first, last: Math.min(last, after - 1) } : { first: Math.max(first, after + 1), last };
};

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

const place = (customerId: number, { id, createDate }: HitPlace, hit: NewHit) => {
  const dates = { createDate, updateDate: createDate };
  return {
    ...hit,
    ...dates,
    id,
    messages: hit.messages.map((message) => ({ ...message, ...dates, ruleHitId: id })),
    listPk: listOf(customerId, hit.sensorId),
    listSk: lists.byTime({ id }),
    ttl: Math.ceil((createDate + RETENTION) / 1_000),
    ...items.ruleHit({ customerId, hitId: id }),
  };
};

type Recent = ReturnType<typeof recentHits>;

const append = async (
  table: Table,
  recent: Recent,
  customerId: number,
  after: HitPlace,
  hit: NewHit,
  now: number,
): Promise<HitPlace & { isNew: boolean }> => {
  const isSame = (one: Placed) => one.sensorEventId === hit.sensorEventId && one.ruleId === hit.ruleId;
  const note = (hits: readonly Placed[]) =>
    recent.note(
      customerId,
      hits.map(({ id, createDate, sensorEventId, ruleId }) => ({ id, createDate, sensorEventId, ruleId })),
    );
  const passed = recent.since(customerId, after) ?? [];
  const known = passed.find(isSame);
  if (known) return { id: known.id, createDate: known.createDate, isNew: false };
  for (let last: HitPlace = passed.at(-1) ?? after; ; ) {
    const next = { id: last.id + 1, createDate: Math.max(now, last.createDate) };
    if ((await table.write({ put: place(customerId, next, hit), where: absent })) === null) {
      note([{ ...hit, ...next }]);
      return { ...next, isNew: true };
    }
    const range = between(next.id, Number.MAX_SAFE_INTEGER);
    const since = await table.queryAll<HitItem>({ pk: pkOf(customerId), between: range });
    note(since);
    const same = since.find(isSame);
    if (same) return { id: same.id, createDate: same.createDate, isNew: false };
    last = since.at(-1) ?? last;
  }
};

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
