import type { LookedPage } from '#shared/domain/page.ts';
import type { Key } from '../key.ts';
import type { TableReader } from './client.ts';
import type { Item, Query } from './request.ts';

/** A part of a list in its order, and the id behind which the list goes on; undefined at its end. */
export type Stretch<R, I> = { rows: R[]; next: I | undefined };

/** How much of a list one call reads: one part always, and further parts only if the page needs them. */
export type Bounds = { stretch: number; stretches: number };

type Wanted<I> = { page: number; perPage: number; after?: I | undefined };

/**
 * A page of a list that nobody counts for us. What is there is counted as far as one stretch reaches, so the total of a
 * short list is exact; a page behind it is looked for by further stretches, up to a bound. So what a call costs has a
 * limit, however long the list is, and `after` goes on behind it.
 */
export const lookFor = async <R, I extends string | number>(
  { page, perPage, after }: Wanted<I>,
  { stretch, stretches }: Bounds,
  look: (after: I | undefined, limit: number, isFirst: boolean) => Promise<Stretch<R, I>>,
): Promise<LookedPage<R>> => {
  const rows: R[] = [];
  // One item more than the page tells whether the list goes on.
  const enough = (page + 1) * perPage + 1;
  let next = after;
  for (let looked = 0; looked === 0 || (next !== undefined && rows.length < enough && looked < stretches); looked++) {
    const page = await look(next, stretch, looked === 0);
    rows.push(...page.rows);
    next = page.next;
  }
  const data = rows.slice(page * perPage, (page + 1) * perPage);
  return { total: rows.length, page, perPage, data, isWhole: next === undefined, next };
};

/**
 * The first items of a query, at most `limit` of them, and whether that was all. So many of them as are `fresh` show
 * what was just written; those behind may lag by a second, at half the price.
 */
export const firstOf = async <T extends Item>(
  table: Pick<TableReader, 'query'>,
  query: Query,
  limit: number,
  fresh = 0,
): Promise<{ rows: (T & Key)[]; isWhole: boolean }> => {
  const rows: (T & Key)[] = [];
  let startAfter = query.startAfter;
  do {
    const consistent = fresh > 0 && rows.length === 0;
    // One item more tells whether there are more.
    const most = limit + 1 - rows.length;
    const page = await table.query<T>({
      ...query,
      startAfter,
      limit: consistent ? Math.min(fresh, most) : most,
      consistent,
    });
    rows.push(...page.items);
    startAfter = page.next;
  } while (startAfter && rows.length <= limit);
  return { rows: rows.slice(0, limit), isWhole: rows.length <= limit };
};
