import { firstIdAt } from '../domain/ids.ts';
import type { PageOf } from '../domain/page.ts';
import type { TableReader } from './client.ts';
import type { Item } from './request.ts';
import { lists } from './table.ts';

/**
 * A page of a list of the index whose sort keys are time-ordered ids, newest first, from `since` (ms) on. The keys
 * alone are counted, and only the items of the page are read.
 */
export const newestPage = async <T extends Item & { id: number }>(
  table: TableReader,
  pk: string,
  since: number,
  { page, perPage }: { page: number; perPage: number },
): Promise<PageOf<T>> => {
  const between = [lists.byTime({ id: firstIdAt(since) }), lists.byTime({ id: Number.MAX_SAFE_INTEGER })] as const;
  const keys = await table.queryAll({ index: 'list', pk, between, newestFirst: true });
  const shown = keys.slice(page * perPage, (page + 1) * perPage).map(({ pk, sk }) => ({ pk, sk }));
  const found = await table.getAllEventual<T>(shown);
  return { total: keys.length, page, perPage, data: found.toSorted((a, b) => b.id - a.id) };
};
