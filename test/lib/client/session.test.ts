import { expect, test } from 'vitest';
import { createClient } from '#lib/client/client.ts';
import { ok, Problem } from '#lib/client/problem.ts';

/** A service that accepts previously created sessions until it forgets them. */
const service = (isOpen = () => true) => {
  let logins = 0;
  const known = new Set<string>();
  const seen: [path: string, token: string | null, text: string][] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const token = request.headers.get('authorization');
    const text = await request.text();
    seen.push([pathname, token, text]);
    if (pathname !== '/api/v1/users/login') {
      const isKnown = token !== null && known.has(token);
      return Response.json(isKnown ? [] : { message: 'who are you?' }, { status: isKnown ? 200 : 401 });
    }
    if (!isOpen()) return Response.json({ message: 'wrong password' }, { status: 401 });
    known.add(`Bearer ses_${++logins}`);
    return Response.json({ id: 1 }, { headers: { Token: `ses_${logins}` } });
  };
  return { fetch, seen, known, forget: () => known.clear(), logins: () => logins };
};
const baseUrl = 'http://localhost/api/v1/';
const user = { username: 'nurse', password: 'a-long-password' };

test('a client logs in for the first request and reuses the session for later ones', async () => {
  const { fetch, seen, logins } = service();
  const client = createClient({ baseUrl, fetch, ...user });
  expect(seen).toEqual([]);
  await Promise.all([ok(client.GET('/sensors')), ok(client.GET('/rules'))]);
  await ok(client.GET('/bots'));
  expect(logins()).toBe(1);
  expect(JSON.parse(seen[0]?.[2] ?? '')).toEqual(user);
  expect(seen.slice(1).map(([path, token]) => [path, token])).toEqual(
    ['sensors', 'rules', 'bots'].map((name) => [`/api/v1/${name}`, 'Bearer ses_1']),
  );
});

test('a client whose session has ended logs in again only once for all waiting requests', async () => {
  const { fetch, seen, forget, logins } = service();
  const client = createClient({ baseUrl, fetch, ...user });
  await ok(client.GET('/sensors'));
  forget();
  const body = { name: 'Night', locale: 'en', customerId: 1 };
  await Promise.all([ok(client.GET('/rules')), ok(client.POST('/bots', { body })), ok(client.GET('/users'))]);
  expect(logins()).toBe(2);
  const bots = seen.filter(([path]) => path.endsWith('/bots'));
  expect(bots.map(([, token, text]) => [token, JSON.parse(text)])).toEqual([
    ['Bearer ses_1', body],
    ['Bearer ses_2', body],
  ]);
});

test('a client throws the Problem from a failed login, and logs in again for the next request', async () => {
  let isOpen = false;
  const { fetch, logins } = service(() => isOpen);
  const client = createClient({ baseUrl, fetch, ...user });
  await expect(ok(client.GET('/sensors'))).rejects.toEqual(new Problem(401, 'wrong password'));
  isOpen = true;
  await ok(client.GET('/sensors'));
  expect(logins()).toBe(1);
});

test('a client with a token sends it without cookies, and returns a 401 response', async () => {
  const { fetch, seen, logins } = service();
  const modes: string[] = [];
  const send = (request: Request) => {
    modes.push(request.credentials);
    return fetch(request);
  };
  const client = createClient({ baseUrl, fetch: send, token: 'pat_1' });
  const { error, response } = await client.GET('/sensors');
  expect([response.status, error]).toEqual([401, { message: 'who are you?' }]);
  expect([seen.map(([, token]) => token), logins(), modes]).toEqual([['Bearer pat_1'], 0, ['omit']]);
});

test('a client without a token and user sends no token', async () => {
  const { fetch, seen } = service();
  await createClient({ baseUrl, fetch }).GET('/server/config');
  expect(seen.map(([, token]) => token)).toEqual([null]);
});
