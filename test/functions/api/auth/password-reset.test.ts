import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auth } from '#functions/api/auth/contract.ts';
import { requestReset } from '#functions/api/auth/reset.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { composeDeps } from '#shared/runtime/deps.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'outbox-test-'));
const newPassword = 'a-password-after-the-reset';
let cloud: Cloud;
let anybody: Client;
let admin: Client;
let customerId: number;
let ahead = 0;
/** Resolves at once, unless a test replaces it. */
let pause = async (_ms: number): Promise<void> => {};
beforeAll(async () => {
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  cloud = await startTestCloud({
    dataDir,
    clock,
    environment: { MAIL_SENDER: 'cloud@example.com' },
    wrap: (runtime) => ({ ...runtime, pause: (ms) => pause(ms) }),
  });
  anybody = clientOf(cloud.url);
  admin = await adminOf(cloud.url);
  ({ customerId } = await createHome(admin, 'home', []));
});
afterAll(async () => {
  await cloud.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const hire = (username: string, more: object = {}) =>
  hireFor(admin, customerId, username, { email: `${username}@example.com`, ...more });
const requestCode = async (username: string) => anybody.call('POST', '/users/password-reset', { username });
const confirm = async (code: string, password = newPassword) =>
  (await anybody.call('POST', '/users/password-reset/confirm', { code, newPassword: password })).status;
const mailsTo = (username: string): string[] => {
  const folder = join(dataDir, 'outbox');
  const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return mails.filter((mail) => mail.includes(`To: ${username}@example.com\r\n`));
};
const codeOf = (mail = ''): string => /^[\w-]{32}(?=\r$)/m.exec(mail)?.[0] ?? '';

test('an emailed code sets a password only once and ends all sessions', async () => {
  const { client, username, password } = await hire('forgetful');
  expect((await requestCode(username)).status).toBe(202);
  const [mail] = mailsTo(username);
  expect(mail).toMatch(/^From: cloud@example\.com\r\n/);
  // Only the service's operating system user can read the files.
  const files = readdirSync(join(dataDir, 'outbox')).map((name) => statSync(join(dataDir, 'outbox', name)));
  expect(files.map(({ mode }) => mode & 0o777)).toEqual(files.map(() => 0o600));
  const statuses = await Promise.all(Array.from({ length: 5 }, () => confirm(codeOf(mail))));
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401, 401]);
  expect((await client.call('GET', '/users/me')).status).toBe(401);
  expect((await anybody.call('POST', '/users/login', { username, password })).status).toBe(401);
  await logIn(anybody, username, newPassword);
  expect(await confirm(codeOf(mail))).toBe(401);
});

test('a reset code expires after 30 minutes or a password change', async () => {
  const { client, username, password } = await hire('hesitant');
  await requestCode(username);
  const [early] = mailsTo(username);
  ahead += 30 * 60_000;
  expect(await confirm(codeOf(early))).toBe(401);
  await requestCode(username);
  const late = mailsTo(username).find((mail) => mail !== early);
  await client.ok('PUT', '/users/me/password', { currentPassword: password, newPassword: 'remembered-after-all' });
  expect(await confirm(codeOf(late))).toBe(401);
  for (const code of ['', 'x', codeOf(early).replace(/.$/, '')]) expect(await confirm(code)).toBe(401);
});

test("a reset code becomes invalid once the user's email address has changed", async () => {
  const { id, username } = await hire('moved');
  await requestCode(username);
  const [mail] = mailsTo(username);
  const { firstName, lastName, locale, ...user } = await admin.ok('GET', `/users/${id}`);
  const profile = { firstName, lastName, locale, telegramId: user.telegramId, mobileNumber: user.mobileNumber };
  const moveTo = (email: unknown) => admin.ok('PUT', `/users/${id}`, { ...profile, email });
  await moveTo('safe@example.com');
  expect(await confirm(codeOf(mail))).toBe(401);
  // Later codes are valid, even if other fields change.
  await moveTo(user.email);
  await requestCode(username);
  const second = mailsTo(username).find((other) => other !== mail && codeOf(other) !== '');
  await admin.ok('PUT', `/users/${id}`, { ...profile, firstName: 'Other', email: user.email });
  expect([await confirm(codeOf(mail)), await confirm(codeOf(second))]).toEqual([401, 200]);
});

const moved = (email: string, more: object = {}) => ({
  firstName: 'A',
  lastName: 'B',
  locale: 'en',
  telegramId: null,
  mobileNumber: null,
  email,
  ...more,
});
const DAY = 86_400_000;

test('reset codes go to the old address for 24 hours after an address change', async () => {
  const { client, username, password } = await hire('robbed');
  const put = (email: string, more: object) => client.call('PUT', '/users/me', moved(email, more));
  const missing = await put('thief@example.com', {});
  const wrong = await put('thief@example.com', { currentPassword: 'a-wrong-password' });
  expect([missing.status, wrong.status]).toEqual([400, 400]);
  expect(missing.body).toMatchObject({ errors: [{ path: 'currentPassword' }] });
  expect(await client.ok('GET', '/users/me')).toMatchObject({ email: `${username}@example.com` });
  // Changing other fields does not require the password. No response contains the password.
  await client.ok('PUT', '/users/me', moved(`${username}@example.com`, { firstName: 'New' }));
  const answer = await put('second@example.com', { currentPassword: password });
  expect([answer.status, answer.text.includes(password)]).toEqual([200, false]);
  const [notice] = mailsTo(username);
  expect([notice?.includes('was changed'), mailsTo('second').length]).toEqual([true, 0]);
  // A second change does not redirect the codes either, and both addresses are notified.
  await client.ok('PUT', '/users/me', moved('third@example.com', { currentPassword: password }));
  expect([mailsTo(username).length, mailsTo('second').length]).toEqual([2, 1]);
  ahead += DAY - 60_000;
  await requestCode(username);
  expect([mailsTo(username).length, mailsTo('third').length]).toEqual([3, 0]);
  ahead += 60_000;
  await requestCode(username);
  expect([mailsTo(username).length, mailsTo('third').length]).toEqual([3, 1]);
  expect(await confirm(codeOf(mailsTo('third')[0]))).toBe(200);
  ahead -= DAY;
});

test('reset codes go to the new address at once if someone else changed the address', async () => {
  const { id, username } = await hire('corrected');
  const put = async (email: string) => (await admin.call('PUT', `/users/${id}`, moved(email))).status;
  expect(await put('correct@example.com')).toBe(200);
  expect(mailsTo(username).length).toBe(1);
  await requestCode(username);
  expect([mailsTo(username).length, mailsTo('correct').length]).toEqual([1, 1]);
  for (const n of [1, 2, 3, 4]) expect(await put(`correct${n}@example.com`)).toBe(200);
  expect(await put('correct5@example.com')).toBe(429);
});

test('a common password is rejected without using up the reset code', async () => {
  const { username } = await hire('simple', { locale: 'de' });
  await requestCode(username);
  const [mail] = mailsTo(username);
  expect(mail).toContain('Subject: =?UTF-8?B?');
  expect(await confirm(codeOf(mail), 'Password123')).toBe(400);
  expect(await confirm(codeOf(mail))).toBe(200);
});

test('a password reset looks the same for known and unknown usernames', async () => {
  const { username } = await hire('known');
  const barred = await hire('barred');
  await admin.ok('PUT', `/users/${barred.id}/access`, { canLogin: false, permissions: [] });
  const released = Promise.withResolvers<void>();
  const waiting = new Map<number, number>();
  const all = Promise.withResolvers<void>();
  pause = (ms) => {
    waiting.set(ms, (waiting.get(ms) ?? 0) + 1);
    if (waiting.get(ms) === 3) all.resolve();
    return released.promise;
  };
  let answered = 0;
  const requests = [username, 'unknown-name', barred.username].map(async (name) => {
    const { status, text } = await requestCode(name);
    answered += 1;
    return `${status} ${text}`;
  });
  await all.promise;
  // Other requests still get a response.
  await anybody.call('GET', '/server/config');
  expect({ answered, waiting: [...waiting] }).toEqual({ answered: 0, waiting: [[3_000, 3]] });
  pause = async () => {};
  released.resolve();
  expect(new Set(await Promise.all(requests)).size).toBe(1);
  expect([mailsTo(username).length, mailsTo(barred.username).length]).toEqual([1, 0]);
});

test('a password reset takes the same time even if the mail service hangs', async () => {
  const { username } = await hire('awaited');
  const { runtime } = cloud;
  const deps = await composeDeps(runtime, auth.operations.requestPasswordReset.uses);
  const broken = { ...deps.store.resets, create: () => Promise.reject(new TableUnavailable('gone')) };
  const variants = {
    none: deps,
    hangs: { ...deps, mail: () => new Promise<boolean>(() => {}) },
    fails: { ...deps, store: { ...deps.store, resets: broken }, log: () => {} },
  };
  for (const [failure, variant] of Object.entries(variants)) {
    const waited: number[] = [];
    const pause = async (ms: number) => void waited.push(ms);
    const names = [username, 'unknown-name'];
    const seconds = await Promise.all(
      names.map((name) => requestReset(name, '10.0.0.9', { ...variant, pause, actAs: () => {} }, 100)),
    );
    expect({ failure, seconds, waited }).toEqual({ failure, seconds: [0, 0], waited: [100, 100] });
  }
});

test('an account gets at most 3 reset codes an hour, without revealing the limit', async () => {
  const { username } = await hire('pestered');
  const mailed = async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => requestCode(username)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['202 {"status":"OK"}']));
    return mailsTo(username).length;
  };
  expect(await mailed()).toBe(3);
  ahead += 59 * 60_000;
  expect(await mailed()).toBe(3);
  ahead += 60_000 + 1_000;
  expect(await mailed()).toBe(6);
  const codes = mailsTo(username).map(codeOf);
  expect(new Set(codes).size).toBe(6);
});

test('returns 429 after 10 password resets for a username, whether or not it exists', async () => {
  for (const name of ['many-wishes', 'known']) {
    ahead += 15 * 60_000 + 1_000;
    const answers = await Promise.all(Array.from({ length: 12 }, () => requestCode(name)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(202), 429, 429]);
  }
});
