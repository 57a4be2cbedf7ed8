import type { PartialPage } from '#shared/domain/page.ts';
import type { Key } from '../key.ts';
import type { TableReader } from './client.ts';
import type { Item, Query } from './request.ts';

/** A chunk of a list, in list order, and the id after which the list continues; undefined at the end. */
export type Chunk<R, I> = { rows: R[]; next: I | undefined };

/** How much of a list one request reads: always one chunk, up to `stretches` if the page needs more. */
export type ReadBounds = { stretch: number; stretches: number };

type PageRequest<I> = { page: number; perPage: number; after?: I | undefined };

/**
 * Returns a page of a list whose length the table does not know. Only rows read are counted, so the total is exact for
 * a list that fits into one chunk. A page further back needs more chunks, up to the bound. This limits the cost per
 * request, however long the list is; `after` continues after the rows already read.
 */
export const readPage = async <R, I extends string | number>(
  { page, perPage, after }: PageRequest<I>,
  { stretch, stretches }: ReadBounds,
  readChunk: (after: I | undefined, limit: number, isFirst: boolean) => Promise<Chunk<R, I>>,
): Promise<PartialPage<R>> => {
  const rows: R[] = [];
  // One row beyond the page shows whether the list continues.
  const enough = (page + 1) * perPage + 1;
  let next = after;
  for (let chunks = 0; chunks === 0 || (next !== undefined && rows.length < enough && chunks < stretches); chunks++) {
    const chunk = await readChunk(next, stretch, chunks === 0);
    rows.push(...chunk.rows);
    next = chunk.next;
  }
  const data = rows.slice(page * perPage, (page + 1) * perPage);
  return { total: rows.length, page, perPage, data, isWhole: next === undefined, next };
};

/**
 * Returns the first items in a query, up to `limit`, and whether these are all. The first `fresh` items are read
 * consistently; later ones may lag by a second, at half the cost.
 */
export const readFirst = async <T extends Item>(
  table: Pick<TableReader, 'query'>,
  query: Query,
  limit: number,
  fresh = 0,
): Promise<{ rows: (T & Key)[]; isWhole: boolean }> => {
  const rows: (T & Key)[] = [];
  let startAfter = query.startAfter;
  do {
    const consistent = fresh > 0 && rows.length === 0;
    // One row beyond the limit shows whether there are more.
    const missing = limit + 1 - rows.length;
    const page = await table.query<T>({
      ...query,
      startAfter,
      limit: consistent ? Math.min(fresh, missing) : missing,
      consistent,
    });
    rows.push(...page.items);
    startAfter = page.next;
  } while (startAfter && rows.length <= limit);
  return { rows: rows.slice(0, limit), isWhole: rows.length <= limit };
};
