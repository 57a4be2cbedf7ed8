import type { LookedPage } from '../domain/page.ts';
import { Reply } from './operation.ts';

type Query = Readonly<Record<string, string | number | undefined>>;

/** The query of the next page: by its number as far as was looked at, then behind that. Undefined: there is none. */
const nextQuery = ({ page, perPage, total, next }: LookedPage<unknown>, query: Query): Query | undefined => {
  if ((page + 1) * perPage < total) return { ...query, page: page + 1 };
  return next === undefined ? undefined : { ...query, page: 0, after: next };
};

/** The answer of a list that is looked at only so far: its page, and in headers what `total` is and how it goes on. */
export const lookedReply = <T>(found: LookedPage<T>, query: Query) => {
  const { isWhole, next: _, ...page } = found;
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(nextQuery(found, query) ?? {}))
    if (value !== undefined && value !== '') given.set(name, String(value));
  const link = given.size > 0 && `<?${given}>; rel="next"`;
  return new Reply([page], { headers: { 'X-Total-Is': isWhole ? 'exact' : 'at-least', ...(link && { Link: link }) } });
};
