import { List, type ListProps } from './list.tsx';
import type { useLooking } from './looking.ts';
import { Search } from './search.tsx';

type SearchedProps<T> = ListProps<T> & {
  looking: ReturnType<typeof useLooking>;
  /** Is shown when the search finds nothing. */
  notFound: string;
};

/** A list with a search field above it. */
export const SearchedList = <T,>({ looking, empty, notFound, ...rest }: SearchedProps<T>) => (
  <>
    <Search {...looking.search} />
    <List<T> {...rest} {...looking.list} empty={looking.query.searchText === '' ? empty : notFound} />
  </>
);
