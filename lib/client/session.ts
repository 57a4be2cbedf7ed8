import { Problem, problemOf } from './problem.ts';
import type { Send } from './retrying-fetch.ts';

/** Sends calls with a token: that of a user, of a device, of a webhook, or a provisioning key. */
export const withToken =
  (send: Send, token: string): Send =>
  (request) => {
    request.headers.set('Authorization', `Bearer ${token}`);
    return send(request);
  };

/**
 * Sends calls in a session, which begins with the first call. When the session has ended, or the service forgot it, a
 * new one begins, and the call is sent once more: a 401 says that it was not carried out.
 */
export const inSession = (send: Send, baseUrl: string, user: { username: string; password: string }): Send => {
  const logIn = async (): Promise<string> => {
    const headers = { 'Content-Type': 'application/json' };
    const { username, password } = user;
    const login = { method: 'POST', headers, body: JSON.stringify({ username, password }) };
    const response = await send(new Request(`${baseUrl}/users/login`, login));
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw problemOf(response, body);
    const token = response.headers.get('Token');
    if (token === null) throw new Problem(response.status, 'the answer to the login has no header Token');
    return token;
  };
  let session: Promise<string> | undefined;
  const begin = (): Promise<string> => {
    const begun = logIn();
    session = begun;
    // A login that failed is tried again by the next call.
    begun.catch(() => {
      if (session === begun) session = undefined;
    });
    return begun;
  };
  return async (request) => {
    const current = session ?? begin();
    const response = await withToken(send, await current)(request.clone());
    if (response.status !== 401) return response;
    // Of several calls that learn it at the same time, the first one logs in.
    const next = session === current ? begin() : (session ?? begin());
    return withToken(send, await next)(request);
  };
};
