import type { PartialPage } from '#shared/domain/page.ts';
import { Reply } from '../operation.ts';

type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Returns the query for the next page. This is the next page of the items already read or, after their last page, the
 * first page of the items that follow. Undefined after the last page of the list.
 */
const nextQuery = ({ page, perPage, total, next }: PartialPage<unknown>, query: Query): Query | undefined => {
  if ((page + 1) * perPage < total) return { ...query, page: page + 1 };
  return next === undefined ? undefined : { ...query, page: 0, after: next };
};

/**
 * Returns the response for a list read in bounded parts. The headers state whether `total` is exact, and link to the
 * next page.
 */
export const partialListReply = <T>(found: PartialPage<T>, query: Query) => {
  const { isWhole, next: _, ...page } = found;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(nextQuery(found, query) ?? {}))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  const link = parameters.size > 0 && `<?${parameters}>; rel="next"`;
  return new Reply([page], { headers: { 'X-Total-Is': isWhole ? 'exact' : 'at-least', ...(link && { Link: link }) } });
};
