import type { Delivery, DeliveryState } from '../domain/delivery.ts';
import { timeOfUlid, ulidsFrom } from '../domain/ids.ts';
import { sorted } from '../domain/page.ts';
import type { TableReader } from './client.ts';
import { type DeliveryItem, deliveryOf } from './deliveries.ts';
import { type Bounds, firstOf, lookFor, type Stretch } from './look.ts';
import { items } from './table.ts';

/** A delivery costs about 1 KB to look at, whatever of it is wanted: a stretch is some 125 read units. */
const BOUNDS: Bounds = { stretch: 1_000, stretches: 5 };
/** Of so many at its start a reader finds what it has just caused; those behind may lag, at half the price. */
const FRESH = 200;

/** What lists are made by. `createDate` is the time (ms) that they are cut by. */
export type DeliveryRow = Pick<Delivery, 'id' | 'createDate' | 'updateDate' | 'state' | 'replayOf' | 'isTest'>;
const rowNames = ['updateDate', 'state', 'replayOf', 'isTest'] as const;

/** A webhook. */
type Place = { customerId: number; webhookId: string };
/** From..to, ms. */
type Span = readonly [number, number];
type Direction = { newestFirst: boolean; after: string | undefined; limit: number };

const look = async (
  table: TableReader,
  place: Place,
  [since, until]: Span,
  { newestFirst, after, limit }: Direction,
): Promise<Stretch<DeliveryRow, string>> => {
  const [low, high] = [ulidsFrom(since), ulidsFrom(until + 1)];
  const isOver = after !== undefined && (newestFirst ? after < low : after > high);
  // The table refuses a range that ends before it begins, and a start that is outside of its range.
  if (low > high || isOver) return { rows: [], next: undefined };
  const isInside = after !== undefined && after >= low && after <= high;
  const at = (deliveryId: string) => items.delivery.sk({ deliveryId });
  const query = {
    ...{ pk: items.delivery.pk(place), between: [at(low), at(high)] as const, newestFirst, only: rowNames },
    ...(isInside && { startAfter: items.delivery({ ...place, deliveryId: after }) }),
  };
  const { rows: found, isWhole } = await firstOf<DeliveryItem>(table, query, limit, FRESH);
  const rows = found.map(deliveryOf);
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
    const direction = { newestFirst: false, after: undefined, limit: BOUNDS.stretch };
    return (await look(table, { customerId, webhookId }, span, direction)).rows;
  },

  /**
   * A page of the list of a webhook's deliveries of a span of time (ms). Their ids follow the time; what is to be sorted
   * by another date is so within each stretch that is looked at.
   */
  page: async (customerId: number, webhookId: string, span: Span, query: DeliveryQuery) => {
    const { sortBy, state } = query;
    const newestFirst = sortBy.startsWith('desc');
    const { data, ...page } = await lookFor(query, BOUNDS, async (after: string | undefined, limit) => {
      const { rows, next } = await look(table, { customerId, webhookId }, span, { newestFirst, after, limit });
      const fitting = rows.filter((row) => state === undefined || row.state === state);
      return { rows: sorted(fitting, sortBy), next };
    });
    const keys = data.map(({ id: deliveryId }) => items.delivery({ customerId, webhookId, deliveryId }));
    const shown = (await table.getAll<DeliveryItem>(keys)).map(deliveryOf);
    const found = new Map(shown.map((delivery) => [delivery.id, delivery]));
    return { ...page, data: data.flatMap(({ id }) => found.get(id) ?? []) };
  },
});
