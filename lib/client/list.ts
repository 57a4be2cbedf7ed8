import type { paths } from '#openapi';
import type { Client } from './client.ts';
import { type Answered, bodyOf } from './problem.ts';

type Page<T> = { total: number; page: number; perPage: number; data: T[] };
type Lists = {
  [P in keyof paths as paths[P] extends {
    get: { responses: { 200: { content: { 'application/json': Page<unknown>[] } } } };
  }
    ? P
    : never]: paths[P] extends {
    get: { parameters: infer G; responses: { 200: { content: { 'application/json': Page<infer T>[] } } } };
  }
    ? { given: G; item: T }
    : never;
};
/** The paths of all lists that come in pages. */
export type ListPath = keyof Lists;
/** What one entry of a list is. */
export type ItemOf<P extends ListPath> = Lists[P]['item'];

type Query = Record<string, unknown>;
/** The parameters of a list: `path` where the path has some, and `query` without the page. */
type Given<P extends ListPath> = {
  [K in keyof Lists[P]['given'] as K extends 'path' | 'query' ? K : never]: K extends 'query'
    ? Omit<NonNullable<Lists[P]['given'][K]>, 'page' | 'after'>
    : Lists[P]['given'][K];
};
type Params<P extends ListPath> = Lists[P]['given'] extends { path: object } ? [params: Given<P>] : [params?: Given<P>];

const MOST = 200;

/** The query of the next page: a list without an exact total links to it, others are counted. */
const nextOf = ({ total, page, perPage }: Page<unknown>, { headers }: Response, query: Query): Query | null => {
  if (!headers.has('X-Total-Is')) return (page + 1) * perPage < total ? { ...query, page: page + 1 } : null;
  const [, link] = /^<\?(.*)>; rel="next"$/.exec(headers.get('Link') ?? '') ?? [];
  return link === undefined ? null : Object.fromEntries(new URLSearchParams(link));
};

/**
 * Gives all entries of a list, page by page, as they are asked for: `for await (const sensor of listAll(client,
 * '/sensors'))`. `query` may have filters, an order, and the length of a page (200 without it). Throws a Problem where
 * a page is refused. What is added or removed meanwhile may be missed or seen twice, but in lists that are in the
 * order of their ids.
 */
export async function* listAll<P extends ListPath>(
  client: Client,
  path: P,
  ...[params]: Params<P>
): AsyncGenerator<ItemOf<P>, void, undefined> {
  // The compiler cannot follow what all these paths have in common.
  const get = client.GET as unknown as (
    path: string,
    init: { params: { path: unknown; query: Query } },
  ) => Promise<Answered<Page<ItemOf<P>>[]>>;
  const given = Object(params) as { path?: unknown; query?: Query };
  for (let query: Query | null = { perPage: MOST, ...given.query }; query !== null; ) {
    const answer = await get(path, { params: { path: given.path, query } });
    const [page] = bodyOf(answer);
    if (!page) return;
    yield* page.data;
    query = nextOf(page, answer.response, query);
  }
}
