import { type Pause, pause } from './pause.ts';

export type Send = (request: Request) => Promise<Response>;

const ATTEMPTS = 6;
/** The longest Retry-After (s) to wait for. If it is longer, the response is returned at once. */
const MAX_WAIT_SECONDS = 15;

/**
 * Whether the request may be retried. A 429 means that the request was not executed. After a 503, only reads may be
 * retried.
 */
const isRetryable = ({ status }: Response, { method }: Request): boolean =>
  status === 429 || (status === 503 && (method === 'GET' || method === 'HEAD'));

export type RetryOptions = { longestWait?: number | undefined; pause?: Pause | undefined };

/**
 * Returns a `fetch` that makes up to six attempts and waits for the Retry-After time after a 429 or 503. `longestWait`
 * is the longest Retry-After (s) to wait for.
 */
export const retryingFetch =
  (send: Send, { longestWait = MAX_WAIT_SECONDS, pause: wait = pause }: RetryOptions = {}): Send =>
  async (request) => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(request.clone());
      const seconds = Number(response.headers.get('Retry-After') ?? 1);
      if (attempt === ATTEMPTS || !isRetryable(response, request) || !(seconds <= longestWait)) return response;
      await response.body?.cancel();
      await wait(Math.max(1, seconds), request.signal);
    }
  };
