import { firstIdAt } from '#shared/domain/ids.ts';
import type { PartialPage } from '#shared/domain/page.ts';
import type { Key } from '../key.ts';
import { type Chunk, type ReadBounds, readFirst, readPage } from './bounded-page.ts';
import type { TableReader } from './client.ts';
import type { Item } from './request.ts';

/** Keys are small: 1 MB, or 128 read units, holds 7,000 of them. */
const KEY_BOUNDS: ReadBounds = { stretch: 5_000, stretches: 4 };

export type NewestPageQuery = { page: number; perPage: number; after?: number | undefined };
type ListKey = Key & { listSk: string };
/** An index list: its partition, and the sort key for an id. */
type List = { pk: string; at: (values: { id: number }) => string };
/** The first and the last id, both included. */
type IdRange = readonly [number, number];

/** Returns the first keys, up to `limit`, in an id range of a list. */
const listKeys = async (
  table: TableReader,
  { pk, at }: List,
  [from, to]: IdRange,
  { newestFirst, limit }: { newestFirst: boolean; limit: number },
): Promise<Chunk<ListKey, number>> => {
  if (from > to) return { rows: [], next: undefined };
  const between = [at({ id: from }), at({ id: to })] as const;
  const { rows, isWhole } = await readFirst<ListKey>(table, { index: 'list', pk, between, newestFirst }, limit);
  return { rows, next: isWhole ? undefined : Number(rows.at(-1)?.listSk) };
};

/**
 * Returns a page of an index list sorted by time-ordered ids, newest first, from `since` (ms) on. Up to the page, only
 * keys are read; items are read only for the page itself.
 */
export const newestPage = async <T extends Item & { id: number }>(
  table: TableReader,
  list: List,
  since: number,
  query: NewestPageQuery,
): Promise<PartialPage<T>> => {
  const { data, ...page } = await readPage(query, KEY_BOUNDS, (after, limit) => {
    const range = [firstIdAt(since), (after ?? Number.MAX_SAFE_INTEGER) - 1] as const;
    return listKeys(table, list, range, { newestFirst: true, limit });
  });
  const found = await table.getAllEventual<T>(data.map(({ pk, sk }) => ({ pk, sk })));
  return { ...page, data: found.toSorted((a, b) => b.id - a.id) };
};
