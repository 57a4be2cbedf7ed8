import { useSearchParams } from 'wouter';
import type { paths } from '#openapi';

export type Query = NonNullable<paths['/sensors']['get']['parameters']['query']>;

/**
 * The search in the list of sensors. It is stored in the address of the page, so that it can be bookmarked, and is
 * restored by the back button.
 */
export const useAsked = () => {
  const [search, setSearch] = useSearchParams();
  const asked = {
    page: Math.max(0, Math.floor(Number(search.get('page')) || 0)),
    sort: (search.get('sort') ?? 'asc(name)') as NonNullable<Query['sortBy']>,
    text: search.get('search') ?? '',
    state: search.get('state') ?? '',
  };
  const change = (changes: Record<string, string>): void => {
    const next = { ...Object.fromEntries(search), page: '', ...changes };
    setSearch(
      Object.entries(next).filter(([, value]) => value !== ''),
      { replace: true },
    );
  };
  return { asked, change };
};
