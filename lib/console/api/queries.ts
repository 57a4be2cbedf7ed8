import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { ok, statusOf } from '#lib/client/problem.ts';
import type { User } from '#openapi';
import { api, mayHaveSession } from './client.ts';

const ME = ['me'] as const;

/** Clears the data that a user saw. The query for the user stays, because the pages depend on it. */
export const forget = (client: QueryClient): void =>
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });

const askWho = async (): Promise<User | null> => {
  if (!mayHaveSession()) return null;
  try {
    return await ok(api.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));
  } catch (error) {
    if (statusOf(error) === 401) return null;
    throw error;
  }
};

/**
 * The query for the user who is logged in; null when nobody is. When another tab logged in another user, the data of the
 * user before is cleared.
 */
export const meQuery = queryOptions({
  queryKey: ME,
  queryFn: async ({ client }) => {
    const me = await askWho();
    const before = client.getQueryData<User | null>(ME);
    if (before !== undefined && before?.id !== me?.id) forget(client);
    return me;
  },
  staleTime: 60_000,
});

/** The key of a flag that is true when the session of a user has ended. */
export const lostKey = ['session lost'];

// When any call learns that the session has ended, the login is shown in place of the page. The page is shown again
// after it.
const onError = (error: unknown): void => {
  if (statusOf(error) !== 401 || !queryClient.getQueryData(meQuery.queryKey)) return;
  queryClient.setQueryData(lostKey, true);
  queryClient.setQueryData(meQuery.queryKey, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The client repeats calls by itself (lib/client/retrying-fetch.ts).
  defaultOptions: { queries: { retry: false, staleTime: 2_000 }, mutations: { retry: false } },
});
