import type { paths } from '#openapi';
import type { Client } from './client.ts';
import { type ApiResult, bodyOf } from './problem.ts';

type Page<T> = { total: number; page: number; perPage: number; data: T[] };
type Lists = {
  [P in keyof paths as paths[P] extends {
    get: { responses: { 200: { content: { 'application/json': Page<unknown>[] } } } };
  }
    ? P
    : never]: paths[P] extends {
    get: { parameters: infer G; responses: { 200: { content: { 'application/json': Page<infer T>[] } } } };
  }
    ? { parameters: G; item: T }
    : never;
};
/** The paths of all paginated lists. */
export type ListPath = keyof Lists;
/** The type of the items in a list. */
export type ItemOf<P extends ListPath> = Lists[P]['item'];

type Query = Record<string, unknown>;
/** The parameters for a list: `path` if the path has any, and `query`, excluding the page. */
type ListParams<P extends ListPath> = {
  [K in keyof Lists[P]['parameters'] as K extends 'path' | 'query' ? K : never]: K extends 'query'
    ? Omit<NonNullable<Lists[P]['parameters'][K]>, 'page' | 'after'>
    : Lists[P]['parameters'][K];
};
type ListArguments<P extends ListPath> = Lists[P]['parameters'] extends { path: object }
  ? [params: ListParams<P>]
  : [params?: ListParams<P>];

const MAX_PER_PAGE = 200;

/**
 * Returns the query for the next page, taken from the Link header if the total is not exact; null after the last page.
 */
const nextOf = ({ total, page, perPage }: Page<unknown>, { headers }: Response, query: Query): Query | null => {
  if (!headers.has('X-Total-Is')) return (page + 1) * perPage < total ? { ...query, page: page + 1 } : null;
  const [, link] = /^<\?(.*)>; rel="next"$/.exec(headers.get('Link') ?? '') ?? [];
  return link === undefined ? null : Object.fromEntries(new URLSearchParams(link));
};

/**
 * Yields all items in a list and fetches pages as needed: `for await (const sensor of listAll(client, '/sensors'))`.
 * `query` can contain filters, a sort order and the page size (200 by default). Throws a Problem if a page is rejected.
 * Items added or removed during the read may be missed or returned twice, except in lists sorted by id.
 */
export async function* listAll<P extends ListPath>(
  client: Client,
  path: P,
  ...[params]: ListArguments<P>
): AsyncGenerator<ItemOf<P>, void, undefined> {
  // The compiler cannot infer what these paths have in common.
  const get = client.GET as unknown as (
    path: string,
    init: { params: { path: unknown; query: Query } },
  ) => Promise<ApiResult<Page<ItemOf<P>>[]>>;
  const { path: pathParams, query: filters } = Object(params) as { path?: unknown; query?: Query };
  for (let query: Query | null = { perPage: MAX_PER_PAGE, ...filters }; query !== null; ) {
    const result = await get(path, { params: { path: pathParams, query } });
    const [page] = bodyOf(result);
    if (!page) return;
    yield* page.data;
    query = nextOf(page, result.response, query);
  }
}
