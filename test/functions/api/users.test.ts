import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Answer, type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let ahead = 0;
let anybody: Client;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let manager: Client;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => systemClock.now() + ahead, after: systemClock.after } });
  anybody = clientOf(cloud.url);
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ['manage_users', 'manage_bots']);
  manager = home.client;
});
afterAll(async () => {
  await cloud.stop();
});

const names = { firstName: 'A', lastName: 'B', email: '' };
const hire = (username: string, more: object = {}) => hireFor(admin, home.customerId, username, more);
const login = async (username: string, password: string): Promise<number> =>
  (await anybody.call('POST', '/users/login', { username, password })).status;
const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
const pathsOf = ({ body }: Answer) => (body as { errors: { path: string }[] }).errors.map(({ path }) => path);

describe('a profile', () => {
  const profile = { ...names, firstName: 'New', locale: 'de', telegramId: '1', mobileNumber: null };
  test('users can update their profile and language', async () => {
    const { client } = await hire('profiled');
    expect(await client.ok('PUT', '/users/me', profile)).toMatchObject(profile);
    expect(await client.ok('GET', '/users/me')).toMatchObject(profile);
    const refused = await client.call('GET', '/users');
    expect((refused.body as { message: string }).message).not.toMatch(/^You|^The/);
  });
  test('a profile update ignores unknown fields', async () => {
    const { client, id } = await hire('greedy');
    const ignored = { id: 1, isAdmin: true, permissions: ['manage_users'], customerId: 1, username: 'other' };
    await client.ok('PUT', '/users/me', { ...profile, ...ignored });
    expect(await client.ok('GET', '/users/me')).toMatchObject({
      id,
      isAdmin: false,
      permissions: [],
      customerId: home.customerId,
      username: 'greedy',
    });
    expect(await statusOf(client.call('GET', '/users'))).toBe(403);
  });
  test("manage_users is not enough to change a system admin's profile", async () => {
    const { id } = await hire('chief');
    await admin.ok('PUT', `/users/${id}/access`, { canLogin: true, permissions: [], isAdmin: true });
    const password = { newPassword: 'taken-over-by-me' };
    expect(await statusOf(manager.call('PUT', `/users/${id}`, profile))).toBe(403);
    expect(await statusOf(manager.call('PUT', `/users/${id}/password`, password))).toBe(403);
    expect(await statusOf(manager.call('PUT', `/users/${id}/access`, { canLogin: false, permissions: [] }))).toBe(403);
    expect(await statusOf(manager.call('DELETE', `/users/${id}`))).toBe(403);
  });
});

describe('user permissions', () => {
  test('a permission change takes effect with the next request', async () => {
    const { client, id } = await hire('promoted');
    for (const permissions of [['manage_bots'], [], ['manage_bots']]) {
      await manager.ok('PUT', `/users/${id}/access`, { canLogin: true, permissions });
      const status = await statusOf(client.call('POST', '/bots', { name: 'n' }));
      expect(status).toBe(permissions.length > 0 ? 201 : 403);
    }
  });
  test('callers cannot grant or revoke permissions they do not hold', async () => {
    const { id } = await hire('ruler');
    const put = (client: Client, permissions: string[]) =>
      statusOf(client.call('PUT', `/users/${id}/access`, { canLogin: true, permissions }));
    expect(await put(manager, ['manage_users', 'manage_bots'])).toBe(200);
    expect(await put(manager, ['manage_users', 'manage_rules'])).toBe(403);
    expect(await put(manager, [])).toBe(200);
    expect(await put(admin, ['manage_rules'])).toBe(200);
    expect(await put(manager, ['manage_rules'])).toBe(403);
    expect(await put(manager, [])).toBe(403);
  });
  test('only system admins can promote or demote system admins', async () => {
    const { client, id } = await hire('minister');
    const access = { canLogin: true, permissions: [] };
    expect(await statusOf(manager.call('PUT', `/users/${id}/access`, { ...access, isAdmin: true }))).toBe(403);
    expect(await statusOf(manager.call('PUT', `/users/${id}/access`, { ...access, isAdmin: false }))).toBe(200);
    await admin.ok('PUT', `/users/${id}/access`, { ...access, isAdmin: true });
    expect(await statusOf(client.call('GET', '/customers'))).toBe(200);
    expect((await admin.ok('PUT', `/users/${id}/access`, access)).isAdmin).toBe(true);
    await admin.ok('PUT', `/users/${id}/access`, { ...access, isAdmin: false });
    expect(await statusOf(client.call('POST', '/customers', { name: 'n', location: '', email: '' }))).toBe(403);
  });
  test("revoking a user's access permanently ends all of the user's sessions", async () => {
    const { client, id, username, password } = await hire('suspended');
    await manager.ok('PUT', `/users/${id}/access`, { canLogin: false, permissions: [] });
    expect(await statusOf(client.call('GET', '/users/me'))).toBe(401);
    expect(await login(username, password)).toBe(401);
    await manager.ok('PUT', `/users/${id}/access`, { canLogin: true, permissions: [] });
    expect(await statusOf(client.call('GET', '/users/me'))).toBe(401);
    expect(await login(username, password)).toBe(200);
  });
});

describe('a password', () => {
  const newPassword = 'another-long-password';
  test("changing a password ends all of the user's sessions", async () => {
    const { client, username, password } = await hire('changer');
    const other = await logIn(anybody, username, password);
    for (const body of [{ newPassword }, { newPassword, currentPassword: 'wrong' }]) {
      const refused = await client.call('PUT', '/users/me/password', body);
      expect([refused.status, pathsOf(refused)]).toEqual([400, ['currentPassword']]);
    }
    await client.ok('PUT', '/users/me/password', { newPassword, currentPassword: password });
    for (const session of [client, other]) expect(await statusOf(session.call('GET', '/users/me'))).toBe(401);
    expect([await login(username, password), await login(username, newPassword)]).toEqual([401, 200]);
  });
  test('allows 10 wrong guesses of the current password in 15 minutes', async () => {
    const { client, username, password } = await hire('guessed');
    const change = (currentPassword: string) =>
      client.call('PUT', '/users/me/password', { newPassword, currentPassword });
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, at) => change(`guess-${at}`)));
    expect(guesses.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(400), ...Array(4).fill(429)]);
    const late = await change(password);
    expect([late.status, Number(late.headers.get('retry-after')) > 890]).toEqual([429, true]);
    expect(await login(username, password)).toBe(200);
    ahead += 15 * 60_000;
    expect((await change(password)).status).toBe(200);
  });
  test("setting another user's password ends all of that user's sessions", async () => {
    const { client, id, username } = await hire('forgetful');
    await manager.ok('PUT', `/users/${id}/password`, { newPassword });
    expect(await statusOf(client.call('GET', '/users/me'))).toBe(401);
    expect(await login(username, newPassword)).toBe(200);
  });
  test('rejects common passwords', async () => {
    const { client, password } = await hire('careless');
    const body = { newPassword: 'Password123', currentPassword: password };
    const refused = await client.call('PUT', '/users/me/password', body);
    expect([refused.status, pathsOf(refused)]).toEqual([400, ['newPassword']]);
  });
  test('only one of 10 concurrent password changes succeeds', async () => {
    const { client, username, password } = await hire('torn');
    const change = (at: number) =>
      statusOf(
        client.call('PUT', '/users/me/password', { currentPassword: password, newPassword: `${newPassword}${at}` }),
      );
    const statuses = await Promise.all(Array.from({ length: 10 }, (_, at) => change(at)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await login(username, `${newPassword}${statuses.indexOf(200)}`)).toBe(200);
  });
});

describe('deleting a user', () => {
  test('deleting a user ends all sessions and frees the username', async () => {
    const { client, id, username, password } = await hire('leaver');
    await manager.ok('DELETE', `/users/${id}`);
    expect(await statusOf(client.call('GET', '/users/me'))).toBe(401);
    expect(await login(username, password)).toBe(401);
    expect(await statusOf(manager.call('GET', `/users/${id}`))).toBe(404);
    expect(await statusOf(manager.call('DELETE', `/users/${id}`))).toBe(404);
    const again = await hire(username);
    expect(again.id).not.toBe(id);
    expect(await statusOf(client.call('GET', '/users/me'))).toBe(401);
  });
});
