import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { expectValidResponse } from '#test/contracts/calls.ts';
import { sendRaw } from '#test/contracts/raw.ts';
import { type Answer, type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '#test/fixtures/home.ts';

let cloud: Cloud;
let anybody: Client;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let ahead = 0;
beforeAll(async () => {
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  cloud = await startTestCloud({ clock });
  anybody = clientOf(cloud.url);
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ALL_PERMISSIONS);
});
afterAll(async () => {
  await cloud.stop();
});

const login = async (username = home.username, password = home.password, more: object = {}): Promise<Answer> =>
  anybody.call('POST', '/users/login', { username, password, ...more });
const tokenOf = ({ headers }: Answer): string => headers.get('token') ?? '';
const cookiesOf = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('=') as [string, string]));
const cookieHeader = (cookies: Record<string, string>) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
const newUser = async (username: string, more: object = {}) => {
  const person = { firstName: '', lastName: '', email: '', customerId: home.customerId };
  const password = `${username}-long-password`;
  const user = await admin.ok<{ id: number }>('POST', '/users', { ...person, username, password, ...more });
  return { ...user, username, password };
};

/** Logs in like a browser, which sends the login cookies with every request. */
const openBrowser = async () => {
  const answer = await login();
  const cookies = cookiesOf(answer);
  const { PSCSRF = '' } = cookies;
  const call = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    anybody.call(method, path, body, { cookie: cookieHeader(cookies), ...headers });
  return { answer, cookies, csrf: { 'x-csrf-token': PSCSRF }, call };
};
const bot = { name: 'n' };

describe('a login', () => {
  test('a login returns the user and a token, but no hash or account key', async () => {
    const answer = await login();
    expect(answer.status).toBe(200);
    expectValidResponse(answer);
    expect(tokenOf(answer)).toMatch(/^ses_[\w-]{58}$/);
    expect(answer.body).toMatchObject({ id: home.userId, username: home.username, customerId: home.customerId });
    expect(answer.text).not.toMatch(/hash|accountKey|epoch|argon2/i);
    expect(await anybody.as(tokenOf(answer)).ok('GET', '/users/me')).toEqual(answer.body);
  });
  test('a login sets the three cookies as documented', async () => {
    const lines = (await login()).headers.getSetCookie().toSorted();
    expect(lines).toEqual([
      expect.stringMatching(/^PSAUTHTOKEN=ses_[\w-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^PSCSRF=[\w-]{32}; Path=\/; Max-Age=86400; SameSite=Strict$/),
      `PSUSERID=${home.userId}; Path=/; Max-Age=86400; SameSite=Strict`,
    ]);
  });
  test('a login accepts any capitalization of the username', async () => {
    expect((await login(home.username.toUpperCase())).status).toBe(200);
    expect((await login(home.username, home.password, { id: home.userId })).status).toBe(200);
    expect((await login(home.username, home.password, { id: null })).status).toBe(200);
  });
  test('a login returns the same response for every kind of failure', async () => {
    const locked = await newUser('locked', { canLogin: false });
    const refusals = await Promise.all([
      login('nobody-of-that-name'),
      login(home.username, 'wrong'),
      login(home.username, ''),
      login(home.username, home.password, { id: home.userId + 1 }),
      login(home.username, home.password, { id: 0 }),
      login(locked.username, locked.password),
      login(locked.username, 'wrong'),
      login('', ''),
    ]);
    const [first] = refusals;
    expect(first?.body).toEqual({ message: 'The login details are not valid', statusCode: 401 });
    for (const { status, text, headers } of refusals) {
      expect([status, text]).toEqual([401, first?.text]);
      expect([headers.get('token'), headers.getSetCookie()]).toEqual([null, []]);
      expect([...headers.keys()].sort()).toEqual([...(first?.headers.keys() ?? [])].sort());
    }
  });
});

describe('wrong passwords', () => {
  test('returns 429 after ten wrong passwords, even for the correct password', async () => {
    const { username, password } = await newUser('forgetful');
    for (let n = 0; n < 10; n++) expect((await login(username, 'wrong')).status).toBe(401);
    for (const attempt of ['wrong', password]) {
      const answer = await login(username, attempt);
      expect(answer.status).toBe(429);
      expectValidResponse(answer);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      const [left, reset] = ['x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => answer.headers.get(name));
      expect([left, reset]).toEqual(['0', answer.headers.get('retry-after')]);
      expect((answer.body as { message: string }).message).toBe(
        `Too many requests, next attempt possible in ${answer.headers.get('retry-after')} seconds from now`,
      );
    }
  });
  test('concurrent wrong passwords count toward the limit', async () => {
    await newUser('hasty');
    const answers = await Promise.all(Array.from({ length: 14 }, () => login('hasty', 'wrong')));
    expect(answers.filter(({ status }) => status === 401).length).toBe(10);
  });
  test('wrong passwords for unknown usernames count toward the limit', async () => {
    for (let n = 0; n < 10; n++) expect((await login('a-ghost', 'wrong')).status).toBe(401);
    expect((await login('a-ghost', 'wrong')).status).toBe(429);
  });
  test('wrong passwords delay logins from a known address, but never block them', async () => {
    expect((await login()).status).toBe(200);
    for (let n = 0; n < 10; n++) expect((await login(home.username, 'wrong')).status).toBe(401);
    ahead += 1_000;
    expect((await login()).status).toBe(200);
  });
  test('does not limit concurrent logins with the correct password from a new address', async () => {
    const { username, password } = await newUser('twin');
    const answers = await Promise.all(Array.from({ length: 14 }, () => login(username, password)));
    expect(answers.map(({ status }) => status)).toEqual(Array(14).fill(200));
  });
  test('Retry-After states when wrong passwords no longer count', async () => {
    for (let n = 0; n < 10; n++) await login('nobody-early', 'wrong');
    ahead += 14 * 60_000;
    const answer = await login('nobody-early', 'wrong');
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
  test('wrong passwords expire after 15 minutes', async () => {
    const { username, password } = await newUser('patient');
    for (let n = 0; n < 11; n++) await login(username, 'wrong');
    ahead += 15 * 60_000 + 1_000;
    expect((await login(username, password)).status).toBe(200);
  });
});

describe('a request with cookies', () => {
  test('a request with cookies requires X-CSRF-Token only to write', async () => {
    const { call, csrf } = await openBrowser();
    expect((await call('GET', '/users/me')).status).toBe(200);
    expect((await call('POST', '/bots', csrf, bot)).status).toBe(201);
  });
  test.each([
    ['no token', {}],
    ['another token', { 'x-csrf-token': 'a'.repeat(32) }],
    ['an empty token', { 'x-csrf-token': '' }],
  ])('a write with %s ends the session and deletes the cookies', async (_, headers) => {
    const { call, csrf, cookies } = await openBrowser();
    const caught = await call('POST', '/bots', headers, bot);
    expect(caught.status, caught.text).toBe(403);
    expectValidResponse(caught);
    expect(cookiesOf(caught)).toEqual({ PSAUTHTOKEN: '', PSUSERID: '', PSCSRF: '' });
    for (const line of caught.headers.getSetCookie()) expect(line).toMatch(/; Max-Age=0;/);
    expect((await call('GET', '/users/me')).status).toBe(401);
    expect((await call('POST', '/bots', csrf, bot)).status).toBe(401);
    expect((await anybody.as(cookies.PSAUTHTOKEN).call('GET', '/users/me')).status).toBe(401);
  });
  test.each([
    ['the correct one first', (right: string) => ['X-CSRF-Token', right, 'X-CSRF-Token', 'wrong']],
    ['the correct one last', (right: string) => ['X-CSRF-Token', 'wrong', 'X-CSRF-Token', right]],
    ['the correct one twice', (right: string) => ['X-CSRF-Token', right, 'X-CSRF-Token', right]],
    ['in differently spelled headers', (right: string) => ['X-CSRF-Token', right, 'x-csrf-token', 'wrong']],
    ['joined by a comma', (right: string) => ['X-CSRF-Token', `${right}, ${right}`]],
  ])('a write with two X-CSRF-Token values, %s, ends the session', async (_, tokens) => {
    const { call, csrf, cookies } = await openBrowser();
    const headers = ['Host', 'localhost', 'Cookie', cookieHeader(cookies), ...tokens(csrf['x-csrf-token'])];
    const caught = await sendRaw(`${cloud.url}/bots`, { method: 'POST', headers });
    expect(caught.status, caught.text).toBe(403);
    expectValidResponse(caught);
    expect(cookiesOf(caught)).toEqual({ PSAUTHTOKEN: '', PSUSERID: '', PSCSRF: '' });
    expect((await call('GET', '/users/me')).status).toBe(401);
  });
  test('a write with a valid cookie requires X-CSRF-Token even with a bearer token', async () => {
    const { call, csrf } = await openBrowser();
    const authorization = `Bearer ${tokenOf(await login())}`;
    expect((await call('POST', '/bots', { authorization, ...csrf }, bot)).status).toBe(201);
    expect((await call('POST', '/bots', { authorization }, bot)).status).toBe(403);
    // The cookie's session has ended, but not the header's.
    expect((await call('GET', '/users/me')).status).toBe(401);
    expect((await call('POST', '/bots', { authorization }, bot)).status).toBe(201);
  });
  test('accepts a bearer token despite an invalid cookie', async () => {
    const { call, csrf } = await openBrowser();
    await call('POST', '/users/logout', csrf);
    const authorization = `Bearer ${tokenOf(await login())}`;
    expect((await call('POST', '/bots', { authorization }, bot)).status).toBe(201);
    const garbage = { authorization, cookie: 'PSAUTHTOKEN=garbage; PSCSRF=x' };
    expect((await call('POST', '/bots', garbage, bot)).status).toBe(201);
  });
  test('logging in does not require X-CSRF-Token', async () => {
    const { call } = await openBrowser();
    const { username, password } = home;
    expect((await call('POST', '/users/login', {}, { username, password })).status).toBe(200);
    expect((await call('GET', '/users/me')).status).toBe(200);
  });
  test('checks X-CSRF-Token before permissions, body and path', async () => {
    for (const path of ['/provisioning-keys', '/bots']) {
      const { call } = await openBrowser();
      const answer = await call('POST', path, {}, 'no json');
      expect((answer.body as { message: string }).message).toMatch(/session has ended$/);
    }
  });
});

describe('a session', () => {
  test('logging out of one session does not affect the others', async () => {
    const [first, other] = [await login(), await login()].map((answer) => anybody.as(tokenOf(answer)));
    const out = await first?.call('POST', '/users/logout');
    expect([out?.status, out?.body]).toEqual([200, { status: 'OK' }]);
    expect(out && cookiesOf(out)).toEqual({ PSAUTHTOKEN: '', PSUSERID: '', PSCSRF: '' });
    expect((await first?.call('GET', '/users/me'))?.status).toBe(401);
    expect((await first?.call('POST', '/users/logout'))?.status).toBe(401);
    expect((await other?.call('GET', '/users/me'))?.status).toBe(200);
  });
  test('a session expires 86,400 s after login', async () => {
    const client = anybody.as(tokenOf(await login()));
    ahead += 86_390_000;
    expect((await client.call('GET', '/users/me')).status).toBe(200);
    ahead += 10_000;
    expect((await client.call('GET', '/users/me')).status).toBe(401);
  });
  test('accepts a session token only as a bearer token in the Authorization header', async () => {
    const token = tokenOf(await login());
    for (const authorization of [token, `Basic ${token}`, `Bearer  ${token}`, `Bearer ${token} x`, 'Bearer', 'Bearer '])
      expect((await anybody.call('GET', '/users/me', undefined, { authorization })).status, authorization).toBe(401);
    expect((await anybody.call('GET', `/users/me?token=${token}`)).status).toBe(401);
    expect((await anybody.call('GET', '/users/me', undefined, { cookie: `PSUSERID=${token}` })).status).toBe(401);
    expect((await anybody.call('GET', '/users/me', undefined, { authorization: `bearer ${token}` })).status).toBe(200);
  });
});
