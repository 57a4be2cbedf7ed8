import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

/**
 * The state of a list that the API searches, sorts and pages: the `query` for the API, the properties of the search
 * field (`search`) and of the list (`list`).
 */
export const useLooking = <S extends string>(sortedBy: S) => {
  const [page, setPage] = useState(0);
  const [sortBy, setSort] = useState(sortedBy);
  const [typed, setTyped] = useState('');
  const [searchText] = useDebouncedValue(typed, 250);
  const look = (text: string) => {
    setTyped(text);
    setPage(0);
  };
  const sortAnew = (sort: string) => {
    setSort(sort as S);
    setPage(0);
  };
  return {
    query: { page, searchText, sortBy },
    search: { value: typed, onChange: look },
    list: { onPage: setPage, sort: sortBy, onSort: sortAnew },
  };
};
