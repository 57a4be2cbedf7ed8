import { useQuery } from '@tanstack/react-query';

/** Returns a query for form values. It is never refetched, so values do not change while the user edits them. */
export const useEditQuery = <T>(queryKey: readonly unknown[], queryFn: () => Promise<T>) =>
  useQuery({ queryKey, queryFn, refetchOnWindowFocus: false, gcTime: 0 });
