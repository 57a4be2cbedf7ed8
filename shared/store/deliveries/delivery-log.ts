import type { DeliveryRow } from '#shared/domain/delivery/delivery-view.ts';
import type { DeliveryState } from '#shared/domain/delivery/states.ts';
import { timeOfUlid, ulidsFrom } from '#shared/domain/ids.ts';
import { type LookedPage, sorted } from '#shared/domain/page.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type Bounds, firstOf, lookFor, type Stretch } from '../engine/look.ts';
import { type DeliveryItem, deliveryOf, keyOf } from './delivery-item.ts';

/** A delivery costs about 1 KB to look at, whatever of it is wanted: a stretch is 62 read units, and 88 at its start. */
const BOUNDS: Bounds = { stretch: 500, stretches: 10 };
/** Of so many at the start of a list a reader finds what it has just caused; those behind may lag, at half the price. */
const FRESH = 200;

const names = [
  ...(['updateDate', 'state', 'reason', 'attempts', 'nextAttempt', 'hit'] as const),
  ...(['replayOf', 'isTest', 'person', 'snapshot'] as const),
] as const;

/** A webhook; or (null) the people of a customer. */
type Receiver = { customerId: number; webhookId: string | null };
/** From..to, ms. */
type Span = readonly [number, number];
type Direction = { newestFirst: boolean; after: string | undefined; limit: number; fresh: number };

const look = async (
  table: TableReader,
  key: Receiver,
  [since, until]: Span,
  { newestFirst, after, limit, fresh }: Direction,
): Promise<Stretch<DeliveryRow, string>> => {
  const low = ulidsFrom(since);
  const high = ulidsFrom(until + 1);
  const isOver = after !== undefined && (newestFirst ? after < low : after > high);
  // The table refuses a range that ends before it begins, and a start that is outside of its range.
  if (low > high || isOver) return { rows: [], next: undefined };
  const isInside = after !== undefined && after >= low && after <= high;
  const at = (id: string) => keyOf({ ...key, id });
  const query = {
    pk: at(low).pk,
    between: [at(low).sk, at(high).sk] as const,
    newestFirst,
    only: names,
    ...(isInside && { startAfter: at(after) }),
  };
  const { rows: found, isWhole } = await firstOf<DeliveryItem>(table, query, limit, fresh);
  const rows: DeliveryRow[] = found.map(deliveryOf);
  const next = isWhole ? undefined : rows.at(-1)?.id;
  return { rows: rows.map((row) => ({ ...row, createDate: timeOfUlid(row.id) })), next };
};

/** Which deliveries a page shows; `sortBy` as in the API. */
type DeliveryQuery = {
  page: number;
  perPage: number;
  sortBy: string;
  after?: string | undefined;
  state?: DeliveryState | undefined;
};

/** Which deliveries of several webhooks a page shows. */
type JoinedQuery = DeliveryQuery & { sensorId: string; eventUuid?: string | undefined };

/** A joined list reads so many of all webhooks together at a time, and at least 3 of each. */
const READ_AT_ONCE = 60;
const LEAST = 3;
/** It looks at no more than this in one call. */
const JOINED: Bounds = { stretch: 100, stretches: 5 };

const fits = (row: DeliveryRow, { state, sensorId, eventUuid }: JoinedQuery): boolean =>
  (state === undefined || row.state === state) &&
  (sensorId === '' || row.snapshot.sensor.id === sensorId) &&
  (eventUuid === undefined || row.snapshot.event.uuid === eventUuid);

/** Sort before every id, and behind every id. */
const LOWEST = '';
const HIGHEST = '~';
/** The deliveries of a webhook that were read, which are all up to the id `to` in the order of the list. */
type Read = { key: Receiver; to: string; rows: DeliveryRow[] };

/**
 * The next deliveries of several webhooks, at least `limit` if there are so many. More is always read of the webhook of
 * which least was read, and only what cannot be preceded by anything unread is given.
 */
const merge = async (
  table: TableReader,
  keys: readonly Receiver[],
  span: Span,
  { newestFirst, after, limit, fresh: isFresh }: Omit<Direction, 'fresh'> & { fresh: boolean },
): Promise<Stretch<DeliveryRow, string>> => {
  const [start, end] = newestFirst ? [HIGHEST, LOWEST] : [LOWEST, HIGHEST];
  const share = Math.max(LEAST, Math.ceil(READ_AT_ONCE / keys.length));
  const precedes = (a: string, b: string) => (newestFirst ? a > b : a < b);
  const more = async ({ key, to, rows }: Read): Promise<Read> => {
    const isFirst = to === start;
    const fresh = isFirst && isFresh ? share + 1 : 0;
    const direction = { newestFirst, after: isFirst ? after : to, limit: share, fresh };
    const found = await look(table, key, span, direction);
    return { key, to: found.next ?? end, rows: [...rows, ...found.rows] };
  };
  let all = await Promise.all(keys.map((key) => more({ key, to: start, rows: [] })));
  for (;;) {
    const safe = all.reduce((least, { to }) => (precedes(to, least) ? to : least), end);
    const rows = all.flatMap((read) => read.rows.filter(({ id }) => !precedes(safe, id)));
    if (safe === end || rows.length >= limit)
      return { rows: rows.sort((a, b) => (precedes(a.id, b.id) ? -1 : 1)), next: safe === end ? undefined : safe };
    all = await Promise.all(all.map((read) => (read.to === safe ? more(read) : read)));
  }
};

export const deliveryLogReads = (table: TableReader) => ({
  /** A page of the deliveries of several webhooks of a customer, and to its people (null), in a span of time (ms), by the time of their making. */
  joined: (
    customerId: number,
    webhookIds: readonly (string | null)[],
    span: Span,
    query: JoinedQuery,
  ): Promise<LookedPage<DeliveryRow>> => {
    const keys = webhookIds.map((webhookId) => ({ customerId, webhookId }));
    const newestFirst = query.sortBy.startsWith('desc');
    return lookFor(query, JOINED, async (after: string | undefined, limit, fresh) => {
      const { rows, next } = await merge(table, keys, span, { newestFirst, after, limit, fresh });
      return { rows: rows.filter((row) => fits(row, query)), next };
    });
  },

  /** The oldest deliveries of a webhook in a span of time (ms): as many as are worth looking at in one call. */
  oldest: async (customerId: number, webhookId: string, span: Span): Promise<DeliveryRow[]> => {
    const direction = { newestFirst: false, after: undefined, limit: BOUNDS.stretch, fresh: FRESH };
    return (await look(table, { customerId, webhookId }, span, direction)).rows;
  },

  /**
   * A page of the list of a webhook's deliveries of a span of time (ms). Their ids follow the time; what is to be sorted
   * by another date is so within each stretch that is looked at.
   */
  page: (customerId: number, webhookId: string, span: Span, query: DeliveryQuery): Promise<LookedPage<DeliveryRow>> => {
    const { sortBy, state } = query;
    const newestFirst = sortBy.startsWith('desc');
    return lookFor(query, BOUNDS, async (after: string | undefined, limit, isFirst) => {
      const direction = { newestFirst, after, limit, fresh: isFirst ? FRESH : 0 };
      const { rows, next } = await look(table, { customerId, webhookId }, span, direction);
      const fitting = rows.filter((row) => state === undefined || row.state === state);
      return { rows: sorted(fitting, sortBy), next };
    });
  },
});

export const deliveryLog = (table: Table) => deliveryLogReads(table);
