import { useQuery } from '@tanstack/react-query';

/** A query for the values of a form. It is never refetched, so that values do not change while the user edits them. */
export const useEditQuery = <T>(queryKey: readonly unknown[], queryFn: () => Promise<T>) =>
  useQuery({ queryKey, queryFn, refetchOnWindowFocus: false, gcTime: 0 });
