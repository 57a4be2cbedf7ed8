import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome } from '#test/fixtures/home.ts';

const DAY = 86_400_000;
const dataDir = mkdtempSync(join(tmpdir(), 'invitations-'));
let ahead = 0;
beforeEach(() => {
  ahead = 0;
});
let cloud: Cloud;
let anybody: Client;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  const environment = { MAIL_SENDER: 'cloud@example.com', PUBLIC_URL: 'https://cloud.example.com' };
  cloud = await startTestCloud({ dataDir, clock, environment });
  anybody = clientOf(cloud.url);
  home = await createHome(await adminOf(cloud.url), 'home', ['manage_users', 'manage_rules']);
});
afterAll(async () => {
  await cloud.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const newPassword = 'a-password-of-my-own';
const invitation = (username: string) => ({
  username,
  firstName: 'A',
  lastName: 'B',
  email: `${username}@example.com`,
  invite: true,
});
const invite = (username: string, more: object = {}) =>
  home.client.call('POST', '/users', { ...invitation(username), ...more });
const mailTo = (username: string): string => {
  const folder = join(dataDir, 'outbox');
  const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const mail = mails.find((mail) => mail.includes(`To: ${username}@example.com\r\n`)) ?? '';
  // Long lines are wrapped as quoted-printable.
  return mail.replaceAll('=\r\n', '').replaceAll('=3D', '=');
};
const codeFor = (username: string): string =>
  /https:\/\/cloud\.example\.com\/api\/v1\/console\/invitation#([\w-]{32})\r\n/.exec(mailTo(username))?.[1] ?? '';
const confirm = async (code: string) =>
  (await anybody.call('POST', '/users/password-reset/confirm', { code, newPassword })).status;

test('an invitation link can be used only once to set a password', async () => {
  const answer = await invite('guest', { permissions: ['manage_rules'] });
  expect([answer.status, codeFor('guest').length]).toEqual([201, 32]);
  expect(answer.text).not.toContain(codeFor('guest'));
  expect(await confirm(codeFor('guest'))).toBe(200);
  expect(await confirm(codeFor('guest'))).toBe(401);
  const client = await logIn(anybody, 'guest', newPassword);
  expect(await client.ok('GET', '/users/me')).toMatchObject({ permissions: ['manage_rules'], canLogin: true });
});

test('an invitation is valid for 7 days', async () => {
  await invite('late');
  await invite('timely');
  ahead = 7 * DAY - 60_000;
  expect(await confirm(codeFor('timely'))).toBe(200);
  ahead = 7 * DAY;
  expect(await confirm(codeFor('late'))).toBe(401);
});

test('rejects invitations with a password, without an address, or with permissions that the caller lacks', async () => {
  expect((await invite('both', { password: newPassword })).status).toBe(400);
  expect((await invite('nowhere', { email: '' })).status).toBe(400);
  expect((await invite('neither', { invite: false })).status).toBe(400);
  expect((await invite('stronger', { permissions: ['manage_bots'] })).status).toBe(403);
  expect(mailTo('both') + mailTo('stronger')).toBe('');
});

test('access tokens cannot create users or change permissions', async () => {
  const { token } = await home.client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
  const byToken = anybody.as(token);
  const { id } = (await invite('target')).body as { id: number };
  const { invite: _, ...person } = invitation('made');
  expect((await byToken.call('POST', '/users', { ...person, password: newPassword })).status).toBe(403);
  expect((await byToken.call('POST', '/users', invitation('invited'))).status).toBe(403);
  const access = { canLogin: true, permissions: ['manage_rules'] };
  expect((await byToken.call('PUT', `/users/${id}/access`, access)).status).toBe(403);
  expect((await home.client.call('PUT', `/users/${id}/access`, access)).status).toBe(200);
});

test('a customer can send at most 100 invitations a day', async () => {
  const other = await createHome(await adminOf(cloud.url), 'other', ['manage_users']);
  const send = (n: number) => other.client.call('POST', '/users', invitation(`crowd${n}`));
  const answers = await Promise.all(Array.from({ length: 101 }, (_, n) => send(n)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(100).fill(201), 409]);
  expect(answers.find(({ status }) => status === 409)?.text).toContain('100');
  expect((await invite('unaffected')).status).toBe(201);
});

test('a service without email cannot send invitations', async () => {
  const wrap = (runtime: Runtime): Runtime => ({ ...runtime, settings: { ...runtime.settings, MAIL_SENDER: '' } });
  const silent = await startTestCloud({ wrap });
  const { client } = await createHome(await adminOf(silent.url), 'silent', ['manage_users']);
  expect((await client.call('POST', '/users', invitation('guest'))).status).toBe(400);
  await silent.stop();
});
