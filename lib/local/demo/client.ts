export type Print = (line: string) => void;

/** An answer of the API that is no success. The message is the API's own, with the fields that it names. */
class Refusal extends Error {
  readonly status: number;
  constructor(call: string, status: number, text: string) {
    super(`${sentenceOf(text)} (${call}: ${status})`);
    this.status = status;
  }
}

const sentenceOf = (text: string): string => {
  try {
    const { message, errors = [] } = JSON.parse(text) as {
      message: string;
      errors?: { path: string; message: string }[];
    };
    return [message, ...errors.map(({ path, message: why }) => `${path} ${why}`)].join(': ');
  } catch {
    return text;
  }
};

/** A call over the limit of calls is repeated when it may be, at the latest after so many seconds. */
const LONGEST_WAIT_SECONDS = 5;

const pause = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1_000));

const fetchWithin = async (url: string, request: RequestInit): Promise<Response> => {
  for (;;) {
    const response = await fetch(url, request);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (response.status !== 429 || !(seconds <= LONGEST_WAIT_SECONDS)) return response;
    await response.body?.cancel();
    await pause(seconds);
  }
};

/**
 * Creates a client that calls the API as an app or a device would, and calls `heard` for every call. A call that the
 * limit of calls refuses is repeated when it may be; any other status than 2xx throws a Refusal.
 */
export const apiClient = (base: string, token: string | undefined, heard: Print = () => {}) => {
  const send = async <T>(method: string, path: string, body?: unknown): Promise<{ body: T; headers: Headers }> => {
    const response = await fetchWithin(base + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    heard(`${method} ${path} -> ${response.status}`);
    if (!response.ok) throw new Refusal(`${method} ${path}`, response.status, text);
    return { body: JSON.parse(text) as T, headers: response.headers };
  };
  return {
    send,
    get: async <T>(path: string): Promise<T> => (await send<T>('GET', path)).body,
    post: async <T>(path: string, body: unknown): Promise<T> => (await send<T>('POST', path, body)).body,
  };
};

/** Logs in. Gives a client with the token of the session. */
export const logIn = async (base: string, username: string, password: string, heard?: Print) => {
  const { headers, body } = await apiClient(base, undefined, heard).send<{ id: number; customerId: number | null }>(
    'POST',
    '/users/login',
    { username, password },
  );
  return { user: body, api: apiClient(base, headers.get('token') ?? undefined, heard) };
};
export type Api = ReturnType<typeof apiClient>;
