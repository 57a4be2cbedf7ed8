import { useQuery } from '@tanstack/react-query';

/** A query for the values of a form. It is not refetched, so that the values don't change while the user edits them. */
export const useEdited = <T>(queryKey: readonly unknown[], queryFn: () => Promise<T>) =>
  useQuery({ queryKey, queryFn, refetchOnWindowFocus: false, gcTime: 0 });
