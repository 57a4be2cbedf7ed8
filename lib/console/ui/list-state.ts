import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

/**
 * Returns the state of a list that the API searches, sorts and pages: the API `query`, and the props for the search
 * field (`search`) and the list (`list`).
 */
export const useListState = <S extends string>(initialSort: S) => {
  const [page, setPage] = useState(0);
  const [sortBy, setSort] = useState(initialSort);
  const [typed, setTyped] = useState('');
  const [searchText] = useDebouncedValue(typed, 250);
  const search = (text: string) => {
    setTyped(text);
    setPage(0);
  };
  const changeSort = (sort: string) => {
    setSort(sort as S);
    setPage(0);
  };
  return {
    query: { page, searchText, sortBy },
    search: { value: typed, onChange: search },
    list: { onPage: setPage, sort: sortBy, onSort: changeSort },
  };
};
