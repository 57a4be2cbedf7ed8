import type { DeliveryRow } from '#shared/domain/delivery/delivery-view.ts';
import type { DeliveryState } from '#shared/domain/delivery/states.ts';
import { firstUlidAt, timeOfUlid } from '#shared/domain/ids.ts';
import { type PartialPage, sortedBy } from '#shared/domain/page.ts';
import { type Chunk, type ReadBounds, readFirst, readPage } from '../engine/bounded-page.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type DeliveryItem, deliveryItemKey, deliveryOf } from './delivery-item.ts';

/**
 * Reading a delivery counts as about 1 KB, however little of it is needed. A chunk costs 62 read units, and the first
 * chunk costs 88.
 */
const BOUNDS: ReadBounds = { stretch: 500, stretches: 10 };
/** The number of deliveries read consistently at the start of a list. Later ones may lag, at half the cost. */
const FRESH = 200;

/** The attributes read for lists. */
const rowAttributes = [
  ...(['updateDate', 'state', 'reason', 'attempts', 'nextAttempt', 'hit'] as const),
  ...(['log', 'replayOf', 'isTest', 'person', 'snapshot'] as const),
] as const;

/** A webhook or, if `webhookId` is null, the people notified for a customer. */
type Receiver = { customerId: number; webhookId: string | null };
/** The first and the last millisecond. */
type TimeRange = readonly [number, number];
type Direction = { newestFirst: boolean; after: string | undefined; limit: number; fresh: number };

/** Reads a chunk of deliveries to one receiver. */
const readChunk = async (
  table: TableReader,
  key: Receiver,
  [since, until]: TimeRange,
  { newestFirst, after, limit, fresh }: Direction,
): Promise<Chunk<DeliveryRow, string>> => {
  const low = firstUlidAt(since);
  const high = firstUlidAt(until + 1);
  const isOver = after !== undefined && (newestFirst ? after < low : after > high);
  // DynamoDB rejects a range that ends before it starts, and a start outside the range.
  if (low > high || isOver) return { rows: [], next: undefined };
  const isInside = after !== undefined && after >= low && after <= high;
  const at = (id: string) => deliveryItemKey({ ...key, id });
  const query = {
    pk: at(low).pk,
    between: [at(low).sk, at(high).sk] as const,
    newestFirst,
    only: rowAttributes,
    ...(isInside && { startAfter: at(after) }),
  };
  const { rows: found, isWhole } = await readFirst<DeliveryItem>(table, query, limit, fresh);
  const rows: DeliveryRow[] = found.map(deliveryOf);
  const next = isWhole ? undefined : rows.at(-1)?.id;
  return { rows: rows.map((row) => ({ ...row, createDate: timeOfUlid(row.id) })), next };
};

/** Selects a page of deliveries; `sortBy` as in the API. */
type DeliveryQuery = {
  page: number;
  perPage: number;
  sortBy: string;
  after?: string | undefined;
  state?: DeliveryState | undefined;
};

/** Selects a page of deliveries across several webhooks. */
type JoinedQuery = DeliveryQuery & { sensorId: string; eventUuid?: string | undefined };

/** The number of deliveries a joined list reads at once from all webhooks together, and the minimum from each. */
const JOINED_CHUNK = 60;
const MIN_SHARE = 3;
/** The bounds for one joined list request. */
const JOINED_BOUNDS: ReadBounds = { stretch: 100, stretches: 5 };

const matches = (row: DeliveryRow, { state, sensorId, eventUuid }: JoinedQuery): boolean =>
  (state === undefined || row.state === state) &&
  (sensorId === '' || row.snapshot.sensor.id === sensorId) &&
  (eventUuid === undefined || row.snapshot.event.uuid === eventUuid);

/** These sort before and after every id. */
const LOWEST = '';
const HIGHEST = '~';
/** The deliveries read so far for one receiver: all of them up to the id `to`, in list order. */
type Progress = { key: Receiver; to: string; rows: DeliveryRow[] };

/**
 * Returns the next deliveries to several receivers, at least `limit` if enough exist. Keeps reading from the receiver
 * with the least progress, and returns only rows that no unread row can precede.
 */
const merge = async (
  table: TableReader,
  keys: readonly Receiver[],
  range: TimeRange,
  { newestFirst, after, limit, fresh: isFresh }: Omit<Direction, 'fresh'> & { fresh: boolean },
): Promise<Chunk<DeliveryRow, string>> => {
  const [start, end] = newestFirst ? [HIGHEST, LOWEST] : [LOWEST, HIGHEST];
  const share = Math.max(MIN_SHARE, Math.ceil(JOINED_CHUNK / keys.length));
  const precedes = (a: string, b: string) => (newestFirst ? a > b : a < b);
  const advance = async ({ key, to, rows }: Progress): Promise<Progress> => {
    const isFirst = to === start;
    const fresh = isFirst && isFresh ? share + 1 : 0;
    const direction = { newestFirst, after: isFirst ? after : to, limit: share, fresh };
    const chunk = await readChunk(table, key, range, direction);
    return { key, to: chunk.next ?? end, rows: [...rows, ...chunk.rows] };
  };
  let progress = await Promise.all(keys.map((key) => advance({ key, to: start, rows: [] })));
  for (;;) {
    const safe = progress.reduce((least, { to }) => (precedes(to, least) ? to : least), end);
    const rows = progress.flatMap((read) => read.rows.filter(({ id }) => !precedes(safe, id)));
    if (safe === end || rows.length >= limit)
      return { rows: rows.sort((a, b) => (precedes(a.id, b.id) ? -1 : 1)), next: safe === end ? undefined : safe };
    progress = await Promise.all(progress.map((read) => (read.to === safe ? advance(read) : read)));
  }
};

export const deliveryLogReads = (table: TableReader) => ({
  /** Returns a page of deliveries to several webhooks and, for a null id, to people, ordered by creation. */
  pageOfAll: (
    customerId: number,
    webhookIds: readonly (string | null)[],
    range: TimeRange,
    query: JoinedQuery,
  ): Promise<PartialPage<DeliveryRow>> => {
    const keys = webhookIds.map((webhookId) => ({ customerId, webhookId }));
    const newestFirst = query.sortBy.startsWith('desc');
    return readPage(query, JOINED_BOUNDS, async (after: string | undefined, limit, fresh) => {
      const { rows, next } = await merge(table, keys, range, { newestFirst, after, limit, fresh });
      return { rows: rows.filter((row) => matches(row, query)), next };
    });
  },

  /** Returns the oldest deliveries to a webhook in a time range, up to one chunk. */
  oldest: async (customerId: number, webhookId: string, range: TimeRange): Promise<DeliveryRow[]> => {
    const direction = { newestFirst: false, after: undefined, limit: BOUNDS.stretch, fresh: FRESH };
    return (await readChunk(table, { customerId, webhookId }, range, direction)).rows;
  },

  /**
   * Returns a page of webhook deliveries in a time range. Ids follow creation order; sorting by another date applies
   * within each chunk.
   */
  page: (
    customerId: number,
    webhookId: string,
    range: TimeRange,
    query: DeliveryQuery,
  ): Promise<PartialPage<DeliveryRow>> => {
    const { sortBy, state } = query;
    const newestFirst = sortBy.startsWith('desc');
    return readPage(query, BOUNDS, async (after: string | undefined, limit, isFirst) => {
      const direction = { newestFirst, after, limit, fresh: isFirst ? FRESH : 0 };
      const { rows, next } = await readChunk(table, { customerId, webhookId }, range, direction);
      const matching = rows.filter((row) => state === undefined || row.state === state);
      return { rows: sortedBy(matching, sortBy), next };
    });
  },
});

export const deliveryLog = (table: Table) => deliveryLogReads(table);
