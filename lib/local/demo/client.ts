export type Answer = { status: number; headers: Headers; body: unknown };
export type Print = (line: string) => void;

/**
 * Creates a client that calls the API as an app or a device would, and calls `heard` for every call. A call throws on
 * any status other than 2xx.
 */
export const apiClient = (base: string, token: string | undefined, heard: Print = () => {}) => {
  const send = async <T>(method: string, path: string, body?: unknown): Promise<{ body: T; headers: Headers }> => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    heard(`${method} ${path} -> ${response.status}`);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
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
