import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import type { Otp } from '#shared/store/identity/otps.ts';
import { store } from '#shared/store/store.ts';
import { type Answer, type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';
import { appCode } from '#test/fixtures/otp.ts';

// The clock moves only when a test moves it, because a code belongs to one time step.
let time = systemClock.now();
const seconds = (count: number) => {
  time += count * 1_000;
};
let cloud: Cloud;
let anybody: Client;
let admin: Client;
let customerId: number;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => time, after: unscheduled.after } });
  anybody = clientOf(cloud.url);
  admin = await adminOf(cloud.url);
  ({ customerId } = await createHome(admin, 'home', []));
});
afterAll(() => cloud.stop());

type User = Awaited<ReturnType<typeof hireFor>>;
type Factor = { secret: string; uri: string };
const login = ({ username, password }: Pick<User, 'username' | 'password'>, otp?: string): Promise<Answer> =>
  anybody.call('POST', '/users/login', { username, password, otp });
const times = <T>(count: number, act: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, act));
const statuses = (answers: readonly Answer[]) =>
  Object.fromEntries(Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([k, v]) => [k, v?.length]));
const tokenOf = ({ headers }: Answer): Client => anybody.as(headers.get('token') ?? '');

/**
 * Creates a user with a second factor. The code that enabled it is used up, so the clock moves to the next time step.
 */
const hireWithOtp = async (name: string, more: object = {}) => {
  const user = await hireFor(admin, customerId, name, more);
  const { secret, uri } = await user.client.ok<Factor>('POST', '/users/me/otp');
  const otp = await appCode(secret, time);
  const { recoveryCodes } = await user.client.ok<{ recoveryCodes: string[] }>('PUT', '/users/me/otp', { otp });
  seconds(30);
  return { ...user, secret, uri, used: otp, recoveryCodes, code: () => appCode(secret, time) };
};

describe('a second factor', () => {
  test('a password alone is not enough once a second factor is enabled', async () => {
    const user = await hireFor(admin, customerId, 'setter');
    const { secret, uri } = await user.client.ok<Factor>('POST', '/users/me/otp');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toMatch(new RegExp(`^otpauth://totp/Sensor%20Cloud:setter\\?secret=${secret}&issuer=Sensor`));
    expect((await login(user)).status).toBe(200);
    const wrong = await user.client.call('PUT', '/users/me/otp', { otp: '000000' });
    expect([wrong.status, wrong.body]).toEqual([400, expect.objectContaining({ errors: [expect.anything()] })]);
    const otp = await appCode(secret, time);
    const { recoveryCodes } = await user.client.ok<{ recoveryCodes: string[] }>('PUT', '/users/me/otp', { otp });
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^([2-9A-HJ-NP-Z]{4}-){3}[2-9A-HJ-NP-Z]{4}$/);
    const refused = await login(user);
    expect(refused.body).toEqual({ message: expect.any(String), statusCode: 401, otpRequired: true });
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect(await user.client.ok('GET', '/users/me')).toMatchObject({ hasOtp: true });
  });

  test('a code is requested only after a correct password', async () => {
    const user = await hireWithOtp('asked');
    const nobody = { username: 'nobody-at-all', password: 'x' };
    const wrong = { ...user, password: 'a-wrong-password' };
    const answers = [await login(nobody), await login(wrong), await login(wrong, await user.code())];
    for (const answer of answers) expect([answer.status, answer.text]).toEqual([401, answers[0]?.text]);
    // A wrong code does not reveal that the password was correct.
    expect((await login(user, '000000')).text).toBe(answers[0]?.text);
  });

  test('accepts each second-factor code only once, up to one time step early or late', async () => {
    const user = await hireWithOtp('careful');
    expect((await login(user, user.used)).status).toBe(401);
    const code = await user.code();
    expect(statuses(await times(9, () => login(user, code)))).toEqual({ 200: 1, 401: 8 });
    seconds(30);
    expect((await login(user, await appCode(user.secret, time + 60_000))).status).toBe(401);
    expect((await login(user, await appCode(user.secret, time + 30_000))).status).toBe(200);
    // Using a code invalidates earlier codes.
    expect((await login(user, await user.code())).status).toBe(401);
    seconds(90);
    expect((await login(user, await appCode(user.secret, time - 60_000))).status).toBe(401);
    expect((await login(user, await appCode(user.secret, time - 30_000))).status).toBe(200);
  });

  test('accepts each recovery code only once, even in concurrent requests', async () => {
    const user = await hireWithOtp('forgetful');
    const [first = '', second = '', third = ''] = user.recoveryCodes;
    const answers = await times(50, () => login(user, first));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    seconds(3_600);
    expect((await login(user, first)).status).toBe(401);
    seconds(60);
    // Different codes can be used concurrently.
    const both = await Promise.all([second, third.toLowerCase().replaceAll('-', ' ')].map((code) => login(user, code)));
    expect(statuses(both)).toEqual({ 200: 2 });
  });

  test('stores second-factor secrets encrypted and recovery codes hashed', async () => {
    const user = await hireWithOtp('private');
    const { sessions, otps } = store(cloud.runtime.table);
    const accountKey = (await sessions.accountKeyOf(usernameKey(user.username))) ?? '';
    const kept = JSON.stringify(await otps.get(accountKey));
    for (const secret of [user.secret, ...user.recoveryCodes, ...user.recoveryCodes.map(hashSecret)])
      expect(kept).not.toContain(secret);
    const { text } = await user.client.call('GET', '/users/me');
    expect(text).not.toContain(user.secret);
    // A new secret cannot replace the one in use.
    expect((await user.client.call('POST', '/users/me/otp')).status).toBe(409);
  });

  test("rejects a second factor copied into another account's item", async () => {
    const thief = await hireWithOtp('thief');
    const owner = await hireWithOtp('owner');
    const { table } = cloud.runtime;
    const { sessions, otps } = store(table);
    const accountKeyOf = async (name: string) => (await sessions.accountKeyOf(usernameKey(name))) ?? '';
    const { pk, sk, ...stolen } = (await otps.get(await accountKeyOf('thief'))) as Otp & { pk: string; sk: string };
    const { pk: into, sk: at } = (await otps.get(await accountKeyOf('owner'))) as Otp & { pk: string; sk: string };
    await table.write({ put: { ...stolen, pk: into, sk: at } });
    expect((await login(owner, await thief.code())).status).toBe(401);
  });

  test('limits code guesses like password guesses, even if the password is correct', async () => {
    const user = await hireWithOtp('guessed');
    expect((await login(user, await user.code())).status).toBe(200);
    seconds(60);
    for (let at = 0; at < 10; at++) {
      expect((await login(user, '000000')).status).toBe(401);
      if (at < 9) expect((await login(user)).body).toMatchObject({ otpRequired: true });
    }
    for (const otp of [undefined, '000000', await user.code()]) expect((await login(user, otp)).status).toBe(429);
    seconds(60);
    expect((await login(user, await user.code())).status).toBe(200);
  });

  test('a second factor stays enabled when the password is changed or reset', async () => {
    const user = await hireWithOtp('changer', { email: 'changer@example.com' });
    const newPassword = 'a-new-long-password';
    await user.client.ok('PUT', '/users/me/password', { currentPassword: user.password, newPassword });
    expect((await login({ ...user, password: newPassword })).body).toMatchObject({ otpRequired: true });
    const { sessions, resets } = store(cloud.runtime.table);
    const accountKey = (await sessions.accountKeyOf(usernameKey(user.username))) ?? '';
    const account = (await sessions.account(accountKey)) ?? expect.unreachable();
    const reset = { accountKey, createDate: time, expires: time + 60_000 };
    await resets.create(hashSecret('a-code'), { ...account, ...reset });
    const confirmation = { code: 'a-code', newPassword: 'another-new-password' };
    await anybody.ok('POST', '/users/password-reset/confirm', confirmation);
    const changed = { ...user, password: confirmation.newPassword };
    expect((await login(changed)).body).toMatchObject({ otpRequired: true });
    expect((await login(changed, await user.code())).status).toBe(200);
  });

  test('removing the second factor requires the password and ends all sessions', async () => {
    const user = await hireWithOtp('remover');
    expect((await user.client.call('DELETE', '/users/me/otp', {})).status).toBe(400);
    expect((await user.client.call('DELETE', '/users/me/otp', { password: 'wrong' })).status).toBe(400);
    await user.client.ok('DELETE', '/users/me/otp', { password: user.password });
    expect((await user.client.call('GET', '/users/me')).status).toBe(401);
    const again = tokenOf(await login(user));
    expect(await again.ok('GET', '/users/me')).toMatchObject({ hasOtp: false });
    expect((await again.call('DELETE', '/users/me/otp', { password: user.password })).status).toBe(404);
    expect((await again.call('PUT', '/users/me/otp', { otp: '000000' })).status).toBe(404);
  });

  test("only managers who hold all of the user's permissions can remove the second factor", async () => {
    const user = await hireWithOtp('loser', { permissions: ['manage_rules'] });
    const path = `/users/${user.id}/otp`;
    const lesser = await hireFor(admin, customerId, 'lesser', { permissions: ['manage_users'] });
    const equal = await hireFor(admin, customerId, 'equal', { permissions: ['manage_users', 'manage_rules'] });
    const stranger = await createHome(admin, 'elsewhere', ['manage_users', 'manage_rules']);
    expect((await lesser.client.call('DELETE', path, {})).status).toBe(403);
    expect((await stranger.client.call('DELETE', path, {})).status).toBe(404);
    // No one can set up a second factor for another user.
    for (const method of ['POST', 'PUT'])
      expect((await admin.call(method, path, method === 'PUT' ? { otp: '000000' } : undefined)).status).toBe(404);
    const { token } = await user.client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
    for (const method of ['POST', 'DELETE'])
      expect((await anybody.as(token).call(method, path, method === 'DELETE' ? {} : undefined)).status).toBe(403);
    await equal.client.ok('DELETE', path, {});
    expect((await login(user)).status).toBe(200);
  });

  test('deleting the user deletes the second factor', async () => {
    const user = await hireWithOtp('leaver');
    const { sessions, otps } = store(cloud.runtime.table);
    const accountKey = (await sessions.accountKeyOf(usernameKey(user.username))) ?? '';
    await admin.ok('DELETE', `/users/${user.id}`);
    expect(await otps.get(accountKey)).toBeNull();
  });
});

describe('a customer that requires a second factor', () => {
  const setRequired = async (client: Client, id: number, requireOtp?: boolean) => {
    const { name, location, email } = await client.ok<Record<string, string>>('GET', `/customers/${id}`);
    return client.ok('PUT', `/customers/${id}`, { name, location, email, requireOtp });
  };

  test('users who lack a required second factor have almost no access until they set one up', async () => {
    const home = await createHome(admin, 'strict', ['manage_users', 'manage_customers']);
    expect(await setRequired(home.client, home.customerId, true)).toMatchObject({ requireOtp: true });
    // An update without `requireOtp` keeps the stored value.
    expect(await setRequired(home.client, home.customerId)).toMatchObject({ requireOtp: true });
    const answer = await login(home);
    expect(answer.body).toMatchObject({ mustSetOtp: true, hasOtp: false });
    const limited = tokenOf(answer);
    expect(await limited.ok('GET', '/users/me')).toEqual(answer.body);
    const colleague = await hireFor(admin, home.customerId, 'colleague');
    const refused: [string, string, unknown?][] = [
      ['GET', `/customers/${home.customerId}`],
      ['GET', '/users'],
      ['GET', `/users/${colleague.id}`],
      ['PUT', '/users/me/password', { currentPassword: home.password, newPassword: 'another-long-password' }],
      ['POST', '/users/me/access-tokens', { name: 'n' }],
      ['DELETE', '/users/me/otp', { password: home.password }],
      ['PUT', `/customers/${home.customerId}`, { name: 'n', location: '', email: '', requireOtp: false }],
    ];
    for (const [method, path, body] of refused)
      expect([path, (await limited.call(method, path, body)).status]).toEqual([path, 403]);
    const { secret } = await limited.ok<Factor>('POST', '/users/me/otp');
    await limited.ok('PUT', '/users/me/otp', { otp: await appCode(secret, time) });
    expect(await limited.ok('GET', '/users/me')).not.toHaveProperty('mustSetOtp');
    await limited.ok('GET', `/customers/${home.customerId}`);
    seconds(30);
    expect((await login(home, await appCode(secret, time))).body).not.toHaveProperty('mustSetOtp');
  });

  test('users who lack a required second factor can log out', async () => {
    const home = await createHome(admin, 'stricter', []);
    await setRequired(admin, home.customerId, true);
    const limited = tokenOf(await login(home));
    await limited.ok('POST', '/users/logout');
    expect((await limited.call('GET', '/users/me')).status).toBe(401);
  });
});
