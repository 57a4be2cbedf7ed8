import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { api, mayHaveSession } from './client.ts';
import { ok, statusOf } from './problem.ts';

/** Who is logged in; null: nobody. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async () => {
    if (!mayHaveSession()) return null;
    try {
      return await ok(api.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));
    } catch (error) {
      if (statusOf(error) === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** True: somebody was logged in here, and their session ended. */
export const lostKey = ['session lost'];

// Whatever learns that the session is over brings the login; what was on the screen comes back after it.
const onError = (error: unknown): void => {
  if (statusOf(error) !== 401 || !queryClient.getQueryData(meQuery.queryKey)) return;
  queryClient.setQueryData(lostKey, true);
  queryClient.setQueryData(meQuery.queryKey, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // What the API puts off is asked again by the client itself.
  defaultOptions: { queries: { retry: false, staleTime: 2_000 }, mutations: { retry: false } },
});
