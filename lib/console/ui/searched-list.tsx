import { List, type ListProps } from './list.tsx';
import type { useListState } from './list-state.ts';
import { Search } from './search.tsx';

type SearchedListProps<T> = ListProps<T> & {
  listState: ReturnType<typeof useListState>;
  /** Shown when the search finds nothing. */
  notFound: string;
};

/** A list with a search field above it. */
export const SearchedList = <T,>({ listState, empty, notFound, ...rest }: SearchedListProps<T>) => (
  <>
    <Search {...listState.search} />
    <List<T> {...rest} {...listState.list} empty={listState.query.searchText === '' ? empty : notFound} />
  </>
);
