import { useSearchParams } from 'wouter';
import type { AuditLine } from '#openapi';
import { endOfMinute } from '../ui/minute.ts';

export type ObjectKind = AuditLine['object']['kind'];
type Filter = {
  kind: string | null;
  refused: string | null;
  since: number | null;
  until: number | null;
  page: number;
  /** The id of the entry to continue after, when one request could not search the whole log. */
  after: string | null;
  /** Object and actor ids. Links from other pages set them; the page has no fields for them. */
  object: string | null;
  actor: string | null;
  /** `none` for entries without a customer, which system admins can see. */
  of: string | null;
};
export type FilterProps = { filter: Filter; change: (part: Partial<Filter>) => void };

const numberIn = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;

/** The list filter. It is stored in the URL, so a link shows the same list. */
export const useFilter = (): readonly [Filter, (change: Partial<Filter>) => void] => {
  const [params, setParams] = useSearchParams();
  const filter = {
    kind: params.get('kind'),
    refused: params.get('refused'),
    since: numberIn(params.get('since')),
    until: numberIn(params.get('until')),
    page: numberIn(params.get('page')) ?? 0,
    after: params.get('after'),
    object: params.get('object'),
    actor: params.get('actor'),
    of: params.get('of'),
  };
  const change = (part: Partial<Filter>): void => {
    const restart = 'page' in part ? {} : { page: 0, after: null };
    const next = Object.entries({ ...filter, ...restart, ...part });
    const chosen = next.flatMap(([name, value]) => (value === null || value === 0 ? [] : [[name, String(value)]]));
    setParams(Object.fromEntries(chosen), { replace: true });
  };
  return [filter, change];
};

/** Returns the API query for a filter. `kinds` are the known object kinds. */
export const queryOf = (
  { page, after, kind, refused, since, until, object, actor }: Filter,
  kinds: readonly string[],
) => ({
  page,
  ...(after !== null && { after }),
  ...(kind !== null && kinds.includes(kind) && { objectKind: kind as ObjectKind }),
  ...((refused === 'true' || refused === 'false') && { refused: refused as 'true' | 'false' }),
  ...(since !== null && { since }),
  ...(until !== null && { until: endOfMinute(until) }),
  ...(object !== null && { objectId: object }),
  ...(actor !== null && { actorId: actor }),
});
