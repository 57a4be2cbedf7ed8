import { Problem, problemOf } from './problem.ts';
import type { Send } from './retrying-fetch.ts';

/** Returns a `fetch` that sends a bearer token: a user, device or webhook token, or a provisioning key. */
export const withToken =
  (send: Send, token: string): Send =>
  (request) => {
    request.headers.set('Authorization', `Bearer ${token}`);
    return send(request);
  };

/**
 * Returns a `fetch` that logs in before the first request. If the session has ended, it logs in again and resends the
 * request, because a request that returned 401 was not executed.
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
    if (token === null) throw new Problem(response.status, 'the login response has no Token header');
    return token;
  };
  let session: Promise<string> | undefined;
  const start = (): Promise<string> => {
    const started = logIn();
    session = started;
    // After a failed login, the next request tries again.
    started.catch(() => {
      if (session === started) session = undefined;
    });
    return started;
  };
  return async (request) => {
    const current = session ?? start();
    const response = await withToken(send, await current)(request.clone());
    if (response.status !== 401) return response;
    // If several requests return 401 at once, only the first one logs in.
    const next = session === current ? start() : (session ?? start());
    return withToken(send, await next)(request);
  };
};
