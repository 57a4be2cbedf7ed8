import create, { type Client as OpenApiClient } from 'openapi-fetch';
import type { paths } from '#openapi';
import { type RetryOptions, retryingFetch, type Send } from './retrying-fetch.ts';
import { inSession, withToken } from './session.ts';

/** Request timeout (ms), longer than any request takes, including feed long polling. */
const TIMEOUT_MS = 30_000;

const fetchWithTimeout: Send = (request) =>
  fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]) });

/** How a client authenticates: with a token, as a user, or not at all (for cookies and open operations). */
export type Identity =
  | { token: string; username?: never; password?: never }
  | { token?: never; username: string; password: string }
  | { token?: never; username?: never; password?: never };

export type ClientOptions = Identity &
  RetryOptions & {
    /** The API address, such as `https://cloud.example.com/api/v1`. */
    baseUrl: string;
    /** Replaces the built-in `fetch`, which times out after 30 s. */
    fetch?: Send;
  };

/** An openapi-fetch client typed for this API: an unknown path, parameter or field does not compile. */
export type Client = OpenApiClient<paths>;

const authenticated = (send: Send, baseUrl: string, { token, username, password }: Identity): Send => {
  if (token !== undefined) return withToken(send, token);
  return username === undefined ? send : inSession(send, baseUrl, { username, password });
};

/**
 * Creates an API client. Requests such as `client.GET('/sensors')` return `{ data, error, response }`; `ok()` returns
 * the body or throws a `Problem`. Requests are retried after a 429, and reads after a 503 as well, once the time in
 * Retry-After has passed. An expired session is renewed.
 */
export const createClient = ({
  fetch: send = fetchWithTimeout,
  baseUrl,
  longestWait,
  pause,
  ...identity
}: ClientOptions): Client => {
  const base = baseUrl.replace(/\/+$/, '');
  const hasToken = identity.token !== undefined || identity.username !== undefined;
  return create<paths>({
    baseUrl: base,
    fetch: authenticated(retryingFetch(send, { longestWait, pause }), base, identity),
    // Browser cookies must not identify a client that has a token.
    ...(hasToken && { credentials: 'omit' }),
  });
};
