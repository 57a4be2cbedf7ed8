import { firstIdAt } from '#shared/domain/ids.ts';
import type { LookedPage } from '#shared/domain/page.ts';
import type { Key } from '../key.ts';
import type { TableReader } from './client.ts';
import { type Bounds, firstOf, lookFor, type Stretch } from './look.ts';
import type { Item } from './request.ts';

/** Keys are small: 1 MB, or 128 read units, holds 7,000 of them. */
const KEYS: Bounds = { stretch: 5_000, stretches: 4 };

export type NewestQuery = { page: number; perPage: number; after?: number | undefined };
type ListKey = Key & { listSk: string };
/** A list of the index: its partition, and the sort key of an id. */
type List = { pk: string; at: (values: { id: number }) => string };
/** First and last id. */
type Range = readonly [number, number];

/** The keys of a list of the index with ids in a range, in their order, at most `limit` of them. */
const listKeys = async (
  table: TableReader,
  { pk, at }: List,
  [from, to]: Range,
  { newestFirst, limit }: { newestFirst: boolean; limit: number },
): Promise<Stretch<ListKey, number>> => {
  if (from > to) return { rows: [], next: undefined };
  const between = [at({ id: from }), at({ id: to })] as const;
  const { rows, isWhole } = await firstOf<ListKey>(table, { index: 'list', pk, between, newestFirst }, limit);
  return { rows, next: isWhole ? undefined : Number(rows.at(-1)?.listSk) };
};

/**
 * A page of a list of the index whose sort keys are time-ordered ids, newest first, from `since` (ms) on. The keys
 * alone are looked at, and only the items of the page are read.
 */
export const newestPage = async <T extends Item & { id: number }>(
  table: TableReader,
  list: List,
  since: number,
  query: NewestQuery,
): Promise<LookedPage<T>> => {
  const { data, ...page } = await lookFor(query, KEYS, (after, limit) => {
    const range = [firstIdAt(since), (after ?? Number.MAX_SAFE_INTEGER) - 1] as const;
    return listKeys(table, list, range, { newestFirst: true, limit });
  });
  const found = await table.getAllEventual<T>(data.map(({ pk, sk }) => ({ pk, sk })));
  return { ...page, data: found.toSorted((a, b) => b.id - a.id) };
};
