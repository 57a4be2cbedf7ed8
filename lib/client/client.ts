import create, { type Client as OpenApiClient } from 'openapi-fetch';
import type { paths } from '#openapi';
import { type RetryOptions, retryingFetch, type Send } from './retrying-fetch.ts';
import { inSession, withToken } from './session.ts';

/** How long (ms) an answer may take: longer than the service works on any call, the wait of a feed included. */
const LONGEST = 30_000;

const fetchInTime: Send = (request) =>
  fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(LONGEST)]) });

/** How a client tells who it is: by a token, by the login of a user, or (cookies, open operations) not by itself. */
export type Identity =
  | { token: string; username?: never; password?: never }
  | { token?: never; username: string; password: string }
  | { token?: never; username?: never; password?: never };

export type ClientOptions = Identity &
  RetryOptions & {
    /** The address of the API, such as `https://cloud.example.com/api/v1`. */
    baseUrl: string;
    /** Instead of the `fetch` of the platform, which has 30 s for each call. */
    fetch?: Send;
  };

/** A client of openapi-fetch that knows this API: an unknown path, parameter or field does not compile. */
export type Client = OpenApiClient<paths>;

const identified = (send: Send, baseUrl: string, { token, username, password }: Identity): Send => {
  if (token !== undefined) return withToken(send, token);
  return username === undefined ? send : inSession(send, baseUrl, { username, password });
};

/**
 * Makes a client of the API: `client.GET('/sensors')` and so on give `{ data, error, response }`, and `ok()` makes the
 * body or a thrown `Problem` of it. A call that is refused for a time (429; 503 where nothing is changed) is repeated
 * after its Retry-After. A session that has ended is renewed.
 */
export const createClient = ({
  fetch: send = fetchInTime,
  baseUrl,
  longestWait,
  pause,
  ...who
}: ClientOptions): Client => {
  const base = baseUrl.replace(/\/+$/, '');
  const hasToken = who.token !== undefined || who.username !== undefined;
  return create<paths>({
    baseUrl: base,
    fetch: identified(retryingFetch(send, { longestWait, pause }), base, who),
    // Who has a token is nobody else, whatever cookies a browser has.
    ...(hasToken && { credentials: 'omit' }),
  });
};
