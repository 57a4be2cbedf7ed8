import { createClient } from '#lib/client/client.ts';

/** The console URL, with a trailing slash. The API is one level above it, so the console works under any prefix. */
const folder = new URL('.', import.meta.url);
export const basePath = folder.pathname.slice(0, -1);
export const apiUrl = new URL('..', folder).href.slice(0, -1);

/** Returns the URL from which a receiver fetches webhook events. */
export const feedUrlOf = (webhookId: string): string => `${apiUrl}/webhooks/${webhookId}/feed`;

/** Reads a cookie visible to scripts. */
const cookie = (name: string): string =>
  document.cookie
    .split('; ')
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

/** Whether a user might be logged in. If not, there is no need to ask the API. */
export const mayHaveSession = (): boolean => cookie('PSUSERID') !== '';

/** Request timeout (ms), longer than any request takes. A dead connection must not block polling. */
const TIMEOUT_MS = 30_000;

/** The API client. Session cookies identify the user; the CSRF header shows that a request comes from this page. */
export const api = createClient({
  baseUrl: apiUrl,
  fetch: (request) => fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MS) }),
});

api.use({
  onRequest: ({ request }) => {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', cookie('PSCSRF'));
    return request;
  },
});
