import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { drawToken, parseToken } from '#shared/auth/tokens.ts';
import { expectValidResponse } from '#test/contracts/calls.ts';
import { sendRaw } from '#test/contracts/raw.ts';
import { type Answer, type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';

// The clock moves only when a test moves it, so all requests in a test fall within the same second.
let time = Math.ceil(systemClock.now() / 1_000) * 1_000;
let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
const nextSecond = () => {
  time += 1_000;
};
beforeAll(async () => {
  const clock = { now: () => time, after: systemClock.after };
  const proxy = {
    TRUSTED_PROXY_HEADER: 'X-Viewer',
    TRUSTED_PROXY_SECRET_HEADER: 'X-Hop',
    TRUSTED_PROXY_SECRET: 'the-secret-of-the-hop',
  };
  cloud = await startTestCloud({ clock, differing: ['loopback'], environment: proxy });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ['manage_bots']);
});
beforeEach(nextSecond);
afterAll(async () => {
  await cloud.stop();
});

const times = <T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));
const tally = (answers: readonly Answer[]): Record<number, number> => {
  const sum: Record<number, number> = {};
  for (const { status } of answers) sum[status] = (sum[status] ?? 0) + 1;
  return sum;
};
const me = (client: Client) => client.call('GET', '/users/me');

describe('accounts with a limit of 30 a second', () => {
  test('an account is allowed exactly 30 of 60 concurrent requests in two sessions', async () => {
    const sessions = [home.client, await logIn(admin.as(undefined), home.username, home.password)];
    nextSecond();
    const answers = await times(60, (at) => me(sessions[at % 2] ?? home.client));
    expect(tally(answers)).toEqual({ 200: 30, 429: 30 });
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => headers.get('x-ratelimit-remaining'));
    expect(remaining.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    for (const answer of answers) expectValidResponse(answer);
  });
  test('an account is allowed 30 more requests in the next second', async () => {
    await times(31, () => me(home.client));
    expect((await me(home.client)).status).toBe(429);
    nextSecond();
    expect((await me(home.client)).status).toBe(200);
  });
  test('an account does not share its limit with other accounts or anonymous callers', async () => {
    await times(35, () => me(home.client));
    await times(35, () => admin.as(undefined).call('GET', '/server/config'));
    expect((await me(admin)).status).toBe(200);
  });
  test('the account limit includes writes and rejected requests', async () => {
    await times(10, () => home.client.call('POST', '/bots', {}));
    await times(10, () => home.client.call('POST', '/customers', {}));
    await times(10, () => home.client.call('DELETE', '/rules/999999'));
    expect((await home.client.call('POST', '/bots', { name: 'n' })).status).toBe(429);
    nextSecond();
    expect(await home.client.ok('GET', '/bots')).toEqual([]);
  });
});

describe('account rate limit', () => {
  /** Sends 31 requests to each of two functions, which run in separate instances in AWS. */
  const readTwo = async (client: Client) => {
    const answers = [await times(31, () => me(client)), await times(31, () => client.call('GET', '/bots'))];
    return answers.map(tally);
  };
  test('session reads have a separate limit on each instance', async () => {
    expect(await readTwo(home.client)).toEqual([
      { 200: 30, 429: 1 },
      { 200: 30, 429: 1 },
    ]);
    expect(tally(await times(31, () => home.client.call('POST', '/bots', {})))).toEqual({ 400: 30, 429: 1 });
  });
  test('access tokens share one account limit across instances, for reads and writes', async () => {
    const { token } = await home.client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'reader' });
    nextSecond();
    const client = home.client.as(token);
    expect(await readTwo(client)).toEqual([{ 200: 30, 429: 1 }, { 429: 31 }]);
    expect((await client.call('POST', '/bots', {})).status).toBe(429);
  });
});

describe('429 responses', () => {
  const over = async (client: Client, headers: Record<string, string> = {}): Promise<Answer> => {
    await times(30, () => me(client));
    return client.call('GET', '/users/me', undefined, headers);
  };
  test('a 429 states in the message and headers when to retry', async () => {
    const answer = await over(home.client);
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({
      message: 'Too many requests, next attempt possible in 1 seconds from now',
      statusCode: 429,
    });
    const names = ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    expect(names.map((name) => answer.headers.get(name))).toEqual(['1', '30', '0', '1']);
  });
  test("a 429 is in the user's language", async () => {
    const username = 'deutsch';
    const password = 'a-password-of-no-interest';
    const person = { firstName: '', lastName: '', email: '', customerId: null, locale: 'de' };
    await admin.ok('POST', '/users', { username, password, ...person });
    const answer = await over(await logIn(admin.as(undefined), username, password), { 'accept-language': 'en' });
    expect(answer.body).toEqual({
      message: 'Zu viele Anfragen. Versuchen Sie es in 1 Sekunden erneut',
      statusCode: 429,
    });
  });
  test('a request over the limit returns a 429 before permissions or the body are checked', async () => {
    await times(30, () => home.client.call('POST', '/bots', {}));
    expect((await home.client.call('POST', '/customers', 'no json')).status).toBe(429);
    expect((await me(home.client.as('garbage'))).status).toBe(401);
  });
});

describe('invalid tokens', () => {
  const dead: Record<string, () => Promise<string>> = {
    'a revoked access token': async () => {
      const { id, token } = await home.client.ok<{ id: string; token: string }>('POST', '/users/me/access-tokens', {
        name: 'old',
      });
      await home.client.ok('DELETE', `/users/me/access-tokens/${id}`);
      return token;
    },
    'the token of a logged-out session': async () => {
      const session = await logIn(admin.as(undefined), home.username, home.password);
      await session.ok('POST', '/users/logout');
      return session.token ?? '';
    },
    'a token forged with the account key': async () =>
      drawToken('session', (length) => randomBytes(length), parseToken(home.client.token ?? '')?.accountKey),
  };
  test.each(Object.keys(dead))(
    'requests with %s count toward the address limit, not the account limit',
    async (kind) => {
      const token = await dead[kind]?.();
      const client = clientOf(cloud.url).as(token);
      nextSecond();
      expect(tally(await times(45, () => me(client)))).toEqual({ 401: 30, 429: 15 });
      expect(tally(await times(31, () => me(home.client)))).toEqual({ 200: 30, 429: 1 });
      nextSecond();
      const [live] = await Promise.all([times(30, () => me(home.client)), times(45, () => me(client))]);
      expect(tally(live)).toEqual({ 200: 30 });
    },
  );
});

describe('callers without an account', () => {
  test('anonymous callers from one address share a limit across operations', async () => {
    const anybody = clientOf(cloud.url);
    const answers = await times(50, (at) => anybody.call('GET', at % 2 === 0 ? '/server/qr-code' : '/server/config'));
    expect(tally(answers)).toEqual({ 200: 30, 429: 20 });
    const login = await anybody.call('POST', '/users/login', { username: home.username, password: home.password });
    expect([login.status, login.headers.get('token')]).toEqual([429, null]);
  });
  test.each([
    ['an invalid token', 'GET', '/users/me', 'Bearer garbage'],
    ['no token', 'GET', '/users/me', undefined],
  ])('returns a 401 for %s up to the address limit, and a 429 above it', async (_, method, path, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answers = await times(35, () => clientOf(cloud.url).call(method, path, undefined, headers));
    expect(tally(answers)).toEqual({ 401: 30, 429: 5 });
    for (const answer of answers) expectValidResponse(answer);
    expect((await admin.as(undefined).call('GET', '/server/config')).status).toBe(429);
    expect((await me(home.client)).status).toBe(200);
  });
});

test.each([
  ['device token', '/devices/id_000000001/messages', 'Bearer dev_garbage'],
  ['provisioning key', '/devices/register', 'Bearer prv_garbage'],
])('the device API limits requests with an invalid %s by address', async (_, path, authorization) => {
  const answers = await times(35, () => clientOf(cloud.url).call('POST', path, undefined, { authorization }));
  expect(tally(answers)).toEqual({ 401: 30, 429: 5 });
  for (const answer of answers) expectValidResponse(answer);
  expect((await me(home.client)).status).toBe(200);
});

test('an address may make another 200 requests a second to published operations', async () => {
  const anybody = clientOf(cloud.url);
  const answers = await times(205, (at) => anybody.call('GET', at % 2 === 0 ? '/docs' : '/console'));
  expect(tally(answers)).toEqual({ 200: 200, 429: 5 });
  expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('200');
  expect(tally(await times(31, () => anybody.call('GET', '/server/config')))).toEqual({ 200: 30, 429: 1 });
});

test('GET /health has a separate limit in process memory, so it does not need the table', async () => {
  const anybody = clientOf(cloud.url);
  expect(tally(await times(35, () => anybody.call('GET', '/health')))).toEqual({ 200: 30, 429: 5 });
  expect((await anybody.call('GET', '/server/config')).headers.get('x-ratelimit-remaining')).toBe('29');
});

test('two Authorization headers are rejected with a 400, and with a 429 above the address limit', async () => {
  const headers = { authorization: ['Bearer a', 'Bearer b'] };
  const answers = await times(35, () => sendRaw(`${cloud.url}/users/me`, { method: 'GET', headers }));
  expect(tally(answers)).toEqual({ 400: 30, 429: 5 });
  for (const answer of answers) expectValidResponse(answer);
  const left = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  expect(Math.max(...left)).toBe(29);
});

describe('callers behind the trusted proxy', () => {
  const from = (viewer: string, secret = 'the-secret-of-the-hop') =>
    clientOf(cloud.url).call('GET', '/server/config', undefined, { 'x-viewer': viewer, 'x-hop': secret });
  test('callers behind the proxy are limited separately by their reported addresses', async () => {
    expect(tally(await times(35, () => from('192.0.2.1')))).toEqual({ 200: 30, 429: 5 });
    expect((await from('192.0.2.2')).status).toBe(200);
    expect((await from('192.0.2.1', 'a-guess')).status).toBe(200);
    // Without the secret, the reported addresses are ignored, so all these requests share one address.
    expect(tally(await times(35, (at) => from(`198.51.100.${at}`, 'a-guess')))).toEqual({ 200: 29, 429: 6 });
  });
});

describe('devices', () => {
  test('a device may make 20 requests a second, independently of other devices', async () => {
    const first = await linkSensor(home.client);
    const other = await linkSensor(home.client);
    nextSecond();
    const post = ({ device, sensorId }: typeof first) =>
      device.call('POST', `/devices/${sensorId}/messages`, { type: 'state', payload: {} });
    const answers = await times(30, () => post(first));
    expect(tally(answers)).toEqual({ 202: 20, 429: 10 });
    for (const answer of answers) expectValidResponse(answer);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('20');
    expect((await post(other)).status).toBe(202);
    nextSecond();
    expect((await post(first)).status).toBe(202);
  });
});

test('malformed device tokens and the first five guesses per second do not cost a write', async () => {
  const written: number[] = [];
  const clock = { ...unscheduled, now: () => time };
  const meter = (_: string, { write }: { write: number }) => void written.push(write);
  const cloud = await startTestCloud({ clock, differing: ['loopback'], meter });
  const path = '/devices/id_000000001/messages';
  const tryWith = async (tokens: readonly string[]) => {
    written.length = 0;
    const calls = tokens.map((token) =>
      clientOf(cloud.url).call('POST', path, {}, { authorization: `Bearer ${token}` }),
    );
    expect(tally(await Promise.all(calls))).toEqual({ 401: tokens.length });
    return written.reduce((sum, value) => sum + value, 0);
  };
  const wellFormed = Array.from({ length: 8 }, () => drawToken('device', randomBytes));
  try {
    expect(await tryWith(Array(20).fill('dev_garbage'))).toBe(0);
    nextSecond();
    expect(await tryWith(wellFormed.slice(0, 5))).toBe(0);
    nextSecond();
    expect(await tryWith(wellFormed)).toBeGreaterThan(0);
  } finally {
    await cloud.stop();
  }
});

test('requests to unknown paths and methods are limited by address and do not cost a write', async () => {
  let written = 0;
  const clock = { ...unscheduled, now: () => time };
  const meter = (_: string, { write }: { write: number }) => {
    written += write;
  };
  await using stack = new AsyncDisposableStack();
  const cloud = await startTestCloud({ clock, differing: ['loopback'], meter });
  stack.defer(cloud.stop);
  const anybody = clientOf(cloud.url);
  written = 0;
  expect(tally(await times(45, () => anybody.call('GET', '/nothing')))).toEqual({ 404: 30, 429: 15 });
  expect(tally(await times(45, () => anybody.call('PATCH', '/rules')))).toEqual({ 405: 30, 429: 15 });
  expect(written).toBe(0);
  nextSecond();
  expect((await anybody.call('GET', '/nothing')).status).toBe(404);
});
