import type { LookedPage } from '#shared/domain/page.ts';
import { Reply } from '../operation.ts';

type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Gives the query of the next page: the next page number within the items that were looked at, then the first page
 * after them. It is undefined after the last page.
 */
const nextQuery = ({ page, perPage, total, next }: LookedPage<unknown>, query: Query): Query | undefined => {
  if ((page + 1) * perPage < total) return { ...query, page: page + 1 };
  return next === undefined ? undefined : { ...query, page: 0, after: next };
};

/**
 * Makes the answer of a list of which one call looks at a bounded part. Headers tell whether `total` is exact, and link
 * to the next page.
 */
export const lookedReply = <T>(found: LookedPage<T>, query: Query) => {
  const { isWhole, next: _, ...page } = found;
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(nextQuery(found, query) ?? {}))
    if (value !== undefined && value !== '') given.set(name, String(value));
  const link = given.size > 0 && `<?${given}>; rel="next"`;
  return new Reply([page], { headers: { 'X-Total-Is': isWhole ? 'exact' : 'at-least', ...(link && { Link: link }) } });
};
