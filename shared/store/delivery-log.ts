import type { DeliveryState } from '../domain/delivery.ts';
import type { DeliveryRow } from '../domain/delivery-view.ts';
import { timeOfUlid, ulidsFrom } from '../domain/ids.ts';
import { type LookedPage, sorted } from '../domain/page.ts';
import type { Table, TableReader } from './client.ts';
import { type DeliveryItem, deliveryOf } from './delivery-item.ts';
import { type Bounds, firstOf, lookFor, type Stretch } from './look.ts';
import { items } from './table.ts';

/** A delivery costs about 1 KB to look at, whatever of it is wanted: a stretch is 62 read units, and 88 at its start. */
const BOUNDS: Bounds = { stretch: 500, stretches: 10 };
/** Of so many at the start of a list a reader finds what it has just caused; those behind may lag, at half the price. */
const FRESH = 200;

const names = [
  ...(['updateDate', 'state', 'reason', 'attempts', 'nextAttempt', 'hit'] as const),
  ...(['replayOf', 'isTest', 'snapshot'] as const),
] as const;

/** A webhook. */
type WebhookKey = { customerId: number; webhookId: string };
/** From..to, ms. */
type Span = readonly [number, number];
type Direction = { newestFirst: boolean; after: string | undefined; limit: number; fresh: number };

const look = async (
  table: TableReader,
  key: WebhookKey,
  [since, until]: Span,
  { newestFirst, after, limit, fresh }: Direction,
): Promise<Stretch<DeliveryRow, string>> => {
  const [low, high] = [ulidsFrom(since), ulidsFrom(until + 1)];
  const isOver = after !== undefined && (newestFirst ? after < low : after > high);
  // The table refuses a range that ends before it begins, and a start that is outside of its range.
  if (low > high || isOver) return { rows: [], next: undefined };
  const isInside = after !== undefined && after >= low && after <= high;
  const at = (deliveryId: string) => items.delivery.sk({ deliveryId });
  const query = {
    ...{ pk: items.delivery.pk(key), between: [at(low), at(high)] as const, newestFirst, only: names },
    ...(isInside && { startAfter: items.delivery({ ...key, deliveryId: after }) }),
  };
  const { rows: found, isWhole } = await firstOf<DeliveryItem>(table, query, limit, fresh);
  const rows: DeliveryRow[] = found.map(deliveryOf);
  const next = isWhole ? undefined : rows.at(-1)?.id;
  return { rows: rows.map((row) => ({ ...row, createDate: timeOfUlid(row.id) })), next };
};

/** Which deliveries a page shows; `sortBy` as in the API. */
export type DeliveryQuery = {
  page: number;
  perPage: number;
  sortBy: string;
  after?: string | undefined;
  state?: DeliveryState | undefined;
};

export const deliveryLogReads = (table: TableReader) => ({
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
