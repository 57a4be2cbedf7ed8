import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

type Session = { id: string; createDate: number; expires: number; userAgent: string; isCurrent: boolean };

let ahead = 0;
let cloud: Cloud;
let admin: Client;
let customerId: number;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => systemClock.now() + ahead, after: systemClock.after } });
  admin = await adminOf(cloud.url);
  ({ customerId } = await createHome(admin, 'home', []));
});
afterAll(() => cloud.stop());

const logInBy = async ({ username, password }: { username: string; password: string }, agent: string) => {
  const anybody = clientOf(cloud.url);
  const answer = await anybody.call('POST', '/users/login', { username, password }, { 'user-agent': agent });
  return anybody.as(answer.headers.get('token') ?? '');
};
const list = (client: Client) => client.ok<Session[]>('GET', '/users/me/sessions');
const alive = async (client: Client) => (await client.call('GET', '/users/me')).status === 200;

test("lists the caller's sessions, newest first, without tokens or hashes", async () => {
  const user = await hireFor(admin, customerId, 'seer');
  ahead += 1_000;
  const phone = await logInBy(user, 'a phone');
  ahead += 1_000;
  const desk = await logInBy(user, `a desk ${'x'.repeat(500)}`);
  const sessions = await list(phone);
  expect(sessions.map(({ userAgent }) => userAgent.slice(0, 7))).toEqual(['a desk ', 'a phone', '']);
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, true, false]);
  expect(sessions[0]?.userAgent).toHaveLength(256);
  expect(sessions[1]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    createDate: expect.any(Number),
    expires: (sessions[1]?.createDate ?? 0) + 86_400_000,
    address: '127.0.0.1',
    userAgent: 'a phone',
    display: false,
    isCurrent: true,
  });
  const { text } = await phone.call('GET', '/users/me/sessions');
  for (const { token = '' } of [phone, desk, user.client])
    for (const secret of [token, hashSecret(token), token.slice(4, 36)]) expect(text).not.toContain(secret);
});

test('ending one session from another does not affect other sessions', async () => {
  const user = await hireFor(admin, customerId, 'ender');
  const lost = await logInBy(user, 'lost');
  const { id = '' } = (await list(user.client)).find(({ userAgent }) => userAgent === 'lost') ?? {};
  await user.client.ok('DELETE', `/users/me/sessions/${id}`);
  expect([await alive(lost), await alive(user.client)]).toEqual([false, true]);
  expect((await list(user.client)).map((session) => session.id)).not.toContain(id);
  expect((await user.client.call('DELETE', `/users/me/sessions/${id}`)).status).toBe(404);
});

test('ends a session only once, even for ten concurrent requests', async () => {
  const user = await hireFor(admin, customerId, 'hasty');
  await logInBy(user, 'lost');
  const { id = '' } = (await list(user.client)).find(({ userAgent }) => userAgent === 'lost') ?? {};
  const end = () => user.client.call('DELETE', `/users/me/sessions/${id}`);
  const answers = await Promise.all(Array.from({ length: 10 }, end));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(404)]);
  const lines = async (operation: string) => {
    const path = `/customers/${customerId}/audit?actorId=${user.id}&operation=${operation}`;
    return (await admin.ok<[{ total: number }]>('GET', path))[0].total;
  };
  expect(await lines('endSession')).toBe(1);
  await Promise.all(Array.from({ length: 10 }, () => user.client.call('POST', '/users/logout')));
  expect(await lines('logout')).toBe(1);
});

test('the session list omits logged-out, expired and revoked sessions', async () => {
  const user = await hireFor(admin, customerId, 'changing');
  await (await logInBy(user, 'out')).ok('POST', '/users/logout');
  expect(await list(user.client)).toHaveLength(1);
  const newPassword = 'another-long-password';
  await user.client.ok('PUT', '/users/me/password', { currentPassword: user.password, newPassword });
  const again = await logInBy({ ...user, password: newPassword }, 'again');
  expect(await list(again)).toHaveLength(1);
  ahead += 80_000_000;
  const late = await logInBy({ ...user, password: newPassword }, 'late');
  expect(await list(late)).toHaveLength(2);
  ahead += 10_000_000;
  expect(await list(late)).toHaveLength(1);
});

test("returns 404 for other users' sessions, even to system admins", async () => {
  ahead = 0;
  const user = await hireFor(admin, customerId, 'owner');
  const other = await hireFor(admin, customerId, 'other');
  const [session] = await list(user.client);
  const { token } = await user.client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
  const of = (name: string | number) => `/users/${name}/sessions`;
  const boss = await adminOf(cloud.url);
  for (const client of [boss, other.client]) {
    expect((await client.call('GET', of(user.id))).status).toBe(404);
    expect((await client.call('DELETE', `${of(user.id)}/${session?.id}`)).status).toBe(404);
    expect((await client.call('DELETE', `${of('me')}/${session?.id}`)).status).toBe(404);
  }
  expect((await admin.as(token).call('GET', of('me'))).status).toBe(403);
  expect((await admin.as(token).call('DELETE', `${of('me')}/${session?.id}`)).status).toBe(403);
  expect(await alive(user.client)).toBe(true);
});
