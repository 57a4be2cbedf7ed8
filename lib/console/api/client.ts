import { createClient } from '#lib/client/client.ts';

/**
 * The address of the console, with a slash at its end. The API is one level above it, so the console works under any
 * prefix.
 */
const folder = new URL('.', import.meta.url);
export const basePath = folder.pathname.slice(0, -1);
export const apiUrl = new URL('..', folder).href.slice(0, -1);

/** The address from which a receiver fetches what a webhook has to tell. */
export const feedUrlOf = (webhookId: string): string => `${apiUrl}/webhooks/${webhookId}/feed`;

/** Reads a cookie that scripts may read. Its value shows the API that a call does not come from another site. */
const cookie = (name: string): string =>
  document.cookie
    .split('; ')
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

/** Is it possible that a user is logged in? When it is false, nobody is, and the API need not be asked. */
export const mayHaveSession = (): boolean => cookie('PSUSERID') !== '';

/** How long (ms) an answer may take: longer than the service works on any call. A connection that died must not hold up what asks again. */
const LONGEST = 30_000;

/** The client of the API, which knows the user by the cookies of the session. */
export const api = createClient({
  baseUrl: apiUrl,
  fetch: (request) => fetch(request, { signal: AbortSignal.timeout(LONGEST) }),
});

api.use({
  onRequest: ({ request }) => {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', cookie('PSCSRF'));
    return request;
  },
});
