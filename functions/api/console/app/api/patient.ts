const ATTEMPTS = 6;
/** The longest Retry-After (s) that is waited for. For a longer one the answer is shown at once. */
const LONGEST = 15;

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/**
 * May the request be repeated? A call with the answer 429 was not carried out. After a 503 only a call that changes
 * nothing may be repeated.
 */
const isAgain = ({ status }: Response, { method }: Request): boolean =>
  status === 429 || (status === 503 && method === 'GET');

/** Repeats calls that the API refused for a time, after the Retry-After of the answer, up to six attempts. */
export const patient =
  (send: (request: Request) => Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const response = await send(request.clone());
      const seconds = Number(response.headers.get('Retry-After') ?? 1);
      if (attempt === ATTEMPTS || !isAgain(response, request) || !(seconds <= LONGEST)) return response;
      await pause(Math.max(1, seconds));
    }
  };
