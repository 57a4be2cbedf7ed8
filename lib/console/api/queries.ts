import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { ok, statusOf } from '#lib/client/problem.ts';
import type { User } from '#openapi';
import { api, mayHaveSession } from './client.ts';

const ME = ['me'] as const;

/** Clears the logged-in user's data. The query for the user stays, because the pages depend on it. */
export const clearUserData = (client: QueryClient): void =>
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });

const DISPLAY = 'display';
/** Stores the user in this browser if this is a display. Otherwise, removes the stored user. */
export const storeDisplay = (user: User | null): void =>
  user?.display ? localStorage.setItem(DISPLAY, JSON.stringify(user)) : localStorage.removeItem(DISPLAY);
const storedDisplay = (): User | null => JSON.parse(localStorage.getItem(DISPLAY) ?? 'null') as User | null;

const fetchMe = async (): Promise<User | null> => {
  if (!mayHaveSession()) return null;
  try {
    return await ok(api.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));
  } catch (error) {
    if (statusOf(error) === 401) return null;
    // A display may not read its user, so the browser stores the user.
    if (statusOf(error) === 403) return storedDisplay();
    throw error;
  }
};

/**
 * The query for the logged-in user, or null. If another user has logged in in another tab, the previous user's data is
 * cleared.
 */
export const meQuery = queryOptions({
  queryKey: ME,
  queryFn: async ({ client }) => {
    const me = await fetchMe();
    const previous = client.getQueryData<User | null>(ME);
    if (previous !== undefined && previous?.id !== me?.id) clearUserData(client);
    return me;
  },
  staleTime: 60_000,
});

/** The key for the time (ms) at which a user's session was found to have ended. */
export const sessionEndedKey = ['session ended'];

/** The key for the flag that the user is logging out. Requests pending at that time are refused. */
export const loggingOutKey = ['logging out'];

// Once a request shows that the session has ended, the login replaces the page until the user has logged in again.
const onError = (error: unknown): void => {
  if (statusOf(error) !== 401 || !queryClient.getQueryData(meQuery.queryKey)) return;
  if (!queryClient.getQueryData(loggingOutKey)) queryClient.setQueryData(sessionEndedKey, Date.now());
  queryClient.setQueryData(meQuery.queryKey, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The client retries requests (lib/client/retrying-fetch.ts).
  defaultOptions: { queries: { retry: false, staleTime: 2_000 }, mutations: { retry: false } },
});
