const ATTEMPTS = 6;
/** s. Whoever is told to wait longer than this is told so, instead of waiting without a word. */
const LONGEST = 15;

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** A 429 was not carried out. After a 503 only what changes nothing may be asked again. */
const isAgain = ({ status }: Response, { method }: Request): boolean =>
  status === 429 || (status === 503 && method === 'GET');

/** Asks again what the API put off, after as long as it says. */
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
