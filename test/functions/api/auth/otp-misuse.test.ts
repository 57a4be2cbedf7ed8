import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { createPasswords } from '#shared/auth/password.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { store } from '#shared/store/store.ts';
import { type Client, logIn } from '#test/fixtures/client.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';
import { appCode } from '#test/fixtures/otp.ts';

// The clock stands still, so a code belongs to one time step.
const time = systemClock.now();
let cloud: Cloud;
let admin: Client;
let customerId: number;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => time, after: unscheduled.after } });
  admin = await adminOf(cloud.url);
  ({ customerId } = await createHome(admin, 'home', []));
});
afterAll(() => cloud.stop());

test('returns 400 for malformed codes when enabling a second factor', async () => {
  const { client } = await hireFor(admin, customerId, 'stumbling');
  await client.ok('POST', '/users/me/otp');
  const digits = ['12345', '1234567', '+12345', '-12345', '１２３４５６', '٣٣٣٣٣٣', '1e5', '0x1234'];
  for (const otp of ['', ' ', 'abcdef', '\0', '\ud800', 'ß'.repeat(64), ...digits])
    expect([otp, (await client.call('PUT', '/users/me/otp', { otp })).status]).toEqual([otp, 400]);
  expect(await client.ok('GET', '/users/me')).toMatchObject({ hasOtp: false });
});

/** Creates a home that requires a second factor, with a user who has none. */
const strictHome = async (name: string) => {
  const home = await createHome(admin, name, ['manage_users']);
  await admin.ok('PUT', `/customers/${home.customerId}`, { name, location: '', email: '', requireOtp: true });
  return home;
};

test('treats a session without the required second factor as anonymous', async () => {
  const { userId, username, password } = await strictHome('admins');
  await admin.ok('PUT', `/users/${userId}/access`, { canLogin: true, permissions: [], isAdmin: true });
  const limited = await logIn(admin, username, password);
  const anybody = admin.as(undefined);
  // Callers on the same machine see all health details, so these requests come from elsewhere.
  for (const path of ['/server/config', '/health']) {
    const bodyFor = async (client: Client) =>
      (await client.call('GET', path, undefined, { 'x-forwarded-for': '192.0.2.1' })).body;
    expect(await bodyFor(limited)).toEqual(await bodyFor(anybody));
    expect(await bodyFor(admin)).not.toEqual(await bodyFor(anybody));
  }
});

test('enabling a second factor in one session ends sessions without it', async () => {
  const { username, password } = await strictHome('strict');
  const owner = await logIn(admin, username, password);
  const thief = await logIn(admin, username, password);
  const { secret } = await owner.ok<{ secret: string }>('POST', '/users/me/otp');
  await owner.ok('PUT', '/users/me/otp', { otp: await appCode(secret, time) });
  expect((await thief.call('GET', '/users')).status).toBe(401);
  expect((await thief.call('GET', '/users/me')).status).toBe(401);
  expect((await owner.call('GET', '/users')).status).toBe(200);
  expect(await owner.ok('GET', '/users/me/sessions')).toHaveLength(2);
});

test('a correct password without a code is neither logged nor rehashed', async () => {
  const { client, username, password, id } = await hireFor(admin, customerId, 'old-timer');
  const { secret } = await client.ok<{ secret: string }>('POST', '/users/me/otp');
  await client.ok('PUT', '/users/me/otp', { otp: await appCode(secret, time) });
  const { sessions } = store(cloud.runtime.table);
  const accountKey = (await sessions.accountKeyOf(usernameKey(username))) ?? '';
  const hashNow = async () => (await sessions.passwordHash(accountKey)) ?? '';
  const old = await createPasswords({ memory: 32, passes: 1, parallelism: 1 }).hash(password);
  await sessions.rehash(accountKey, await hashNow(), old);
  const login = async (otp?: string) => (await admin.call('POST', '/users/login', { username, password, otp })).status;
  const path = `/customers/${customerId}/audit?actorId=${id}&operation=login&refused=false`;
  const logins = async () => (await admin.ok<[{ total: number }]>('GET', path))[0].total;
  const before = await logins();
  expect([await login(), await login('000000')]).toEqual([401, 401]);
  expect([await logins(), await hashNow()]).toEqual([before, old]);
  expect(await login(await appCode(secret, time + 30_000))).toBe(200);
  expect(await logins()).toBe(before + 1);
  expect(await hashNow()).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
});
