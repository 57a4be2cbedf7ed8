import { type Pause, pause } from './pause.ts';

export type Send = (request: Request) => Promise<Response>;

const ATTEMPTS = 6;
/** The longest Retry-After (s) that is waited for. For a longer one the answer is given at once. */
const LONGEST = 15;

/**
 * May the request be repeated? A call with the answer 429 was not carried out. After a 503 only a call that changes
 * nothing may be repeated.
 */
const isAgain = ({ status }: Response, { method }: Request): boolean =>
  status === 429 || (status === 503 && (method === 'GET' || method === 'HEAD'));

export type RetryOptions = { longestWait?: number | undefined; pause?: Pause | undefined };

/**
 * Repeats calls that the API refused for a time, after the Retry-After of the answer, up to six attempts. `longestWait`
 * is the longest one (s) that is waited for.
 */
export const retryingFetch =
  (send: Send, { longestWait = LONGEST, pause: wait = pause }: RetryOptions = {}): Send =>
  async (request) => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(request.clone());
      const seconds = Number(response.headers.get('Retry-After') ?? 1);
      if (attempt === ATTEMPTS || !isAgain(response, request) || !(seconds <= longestWait)) return response;
      await response.body?.cancel();
      await wait(Math.max(1, seconds), request.signal);
    }
  };
