import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Answer, type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let anybody: Client;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let manager: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
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
const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

type Token = { id: string; token: string; prefix: string; lastUsed: number | null };
const createToken = (client: Client, body: object = {}, path = '/users/me/access-tokens') =>
  client.ok<Token>('POST', path, { name: 'n', ...body });
const tokensOf = (client: Client) => client.ok<Token[]>('GET', '/users/me/access-tokens');

describe('access tokens', () => {
  const bot = { name: 'n' };
  test("a new token grants the user's permissions and is shown only once", async () => {
    const { client, id } = await hire('integrator', { permissions: ['manage_bots'] });
    const { token, ...shown } = await createToken(client, { name: 'nightly' });
    expect(token.startsWith(shown.prefix)).toBe(true);
    expect((await tokensOf(client))[0]).toEqual({ ...shown, lastUsed: null });
    const byToken = anybody.as(token);
    expect(await byToken.ok('GET', '/users/me')).toMatchObject({ id });
    expect(await statusOf(byToken.call('POST', '/bots', bot))).toBe(201);
    const [used] = await tokensOf(client);
    expect(used?.lastUsed).toBeGreaterThan(Date.now() - 60_000);
    expect(JSON.stringify(used)).not.toContain(token.slice(shown.prefix.length));
  });
  test('deleting a token invalidates it, even while 50 requests use it', async () => {
    const { client } = await hire('withdrawer');
    const { id, token } = await createToken(client);
    const byToken = anybody.as(token);
    const calls = Array.from({ length: 50 }, () => statusOf(byToken.call('GET', '/users/me')));
    const deletions = Array.from({ length: 50 }, () =>
      statusOf(client.call('DELETE', `/users/me/access-tokens/${id}`)),
    );
    expect((await Promise.all(deletions)).filter((status) => status === 200)).toHaveLength(1);
    const after = Array.from({ length: 5 }, () => statusOf(byToken.call('GET', '/users/me')));
    expect(await Promise.all(after)).toEqual(Array(5).fill(401));
    expect((await Promise.all(calls)).filter((status) => status !== 200 && status !== 401)).toEqual([]);
    expect(await statusOf(byToken.call('GET', '/users/me'))).toBe(401);
    expect(await tokensOf(client)).toEqual([]);
  });
  test('a token loses permissions when the user loses them', async () => {
    const { client, id } = await hire('scoped', { permissions: ['manage_bots', 'manage_users'] });
    const byToken = anybody.as((await createToken(client, { permissions: ['manage_bots'] })).token);
    expect(await statusOf(byToken.call('POST', '/bots', bot))).toBe(201);
    expect(await statusOf(byToken.call('GET', '/users'))).toBe(403);
    await manager.ok('PUT', `/users/${id}/access`, { canLogin: true, permissions: ['manage_users'] });
    expect(await statusOf(byToken.call('POST', '/bots', bot))).toBe(403);
    const refused = client.call('POST', '/users/me/access-tokens', { name: 'n', permissions: ['manage_rules'] });
    expect(await statusOf(refused)).toBe(403);
  });
  test('a token limited to some permissions cannot act as a system admin', async () => {
    const byToken = anybody.as((await createToken(admin, { permissions: ['manage_users'] })).token);
    expect(await statusOf(byToken.call('POST', '/customers', { name: 'n', location: '', email: '' }))).toBe(403);
    expect(await statusOf(anybody.as((await createToken(admin)).token).call('GET', '/customers'))).toBe(200);
  });
  test('a read-only token permits only GET requests', async () => {
    const { client } = await hire('reader', { permissions: ['manage_bots'] });
    const byToken = anybody.as((await createToken(client, { readOnly: true })).token);
    expect(await statusOf(byToken.call('GET', '/bots'))).toBe(200);
    expect(await statusOf(byToken.call('POST', '/bots', bot))).toBe(403);
    expect(await statusOf(byToken.call('POST', '/users/logout'))).toBe(403);
  });
  test("a token cannot create tokens or change the user's password or email address", async () => {
    const { client, password } = await hire('limited', { permissions: ['manage_users'] });
    const byToken = anybody.as((await createToken(client)).token);
    const change = { currentPassword: password, newPassword: 'another-long-password' };
    const profile = { ...names, locale: 'en', telegramId: null, mobileNumber: null };
    expect(await statusOf(byToken.call('POST', '/users/me/access-tokens', { name: 'n' }))).toBe(403);
    expect(await statusOf(byToken.call('PUT', '/users/me/password', change))).toBe(403);
    expect(await statusOf(byToken.call('PUT', '/users/me', { ...profile, email: 'me@example.com' }))).toBe(403);
    expect(await statusOf(byToken.call('PUT', '/users/me', { ...profile, firstName: 'New' }))).toBe(200);
  });
  test("a token requires manage_users to list or delete the user's tokens", async () => {
    const { client } = await hire('careful', { permissions: ['manage_users', 'manage_bots'] });
    const other = await createToken(client);
    const limited = await createToken(client, { permissions: ['manage_bots'] });
    const managing = await createToken(client, { permissions: ['manage_users'] });
    const deleteToken = (by: Client, { id }: Token) => statusOf(by.call('DELETE', `/users/me/access-tokens/${id}`));
    expect(await statusOf(anybody.as(limited.token).call('GET', '/users/me/access-tokens'))).toBe(403);
    expect(await deleteToken(anybody.as(limited.token), other)).toBe(403);
    expect(await deleteToken(anybody.as(managing.token), other)).toBe(200);
    expect(await deleteToken(client, limited)).toBe(200);
  });

  test('a token stops working when the user is locked out or deleted', async () => {
    const { client, id } = await hire('barred');
    const byToken = anybody.as((await createToken(client)).token);
    await manager.ok('PUT', `/users/${id}/access`, { canLogin: false, permissions: [] });
    expect(await statusOf(byToken.call('GET', '/users/me'))).toBe(401);
    await manager.ok('PUT', `/users/${id}/access`, { canLogin: true, permissions: [] });
    expect(await statusOf(byToken.call('GET', '/users/me'))).toBe(200);
    await manager.ok('DELETE', `/users/${id}`);
    expect(await statusOf(byToken.call('GET', '/users/me'))).toBe(401);
  });
  test('a token stays valid after a password change, until it expires', async () => {
    const { client, username, password } = await hire('keeper');
    const lasting = await createToken(client);
    const brief = await createToken(client, { expiresAt: Date.now() + 1_000 });
    await client.ok('PUT', '/users/me/password', { currentPassword: password, newPassword: 'another-long-password' });
    expect(await statusOf(anybody.as(lasting.token).call('GET', '/users/me'))).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await statusOf(anybody.as(brief.token).call('GET', '/users/me'))).toBe(401);
    const again = await logIn(anybody, username, 'another-long-password');
    expect((await tokensOf(again)).map(({ id }) => id)).toEqual([lasting.id]);
    const past = client.as(lasting.token).call('GET', '/users/me');
    expect(await statusOf(past)).toBe(200);
  });
  test('a user can have at most 20 tokens, even when requesting 30 at once', async () => {
    const { client } = await hire('collector');
    const create = () => statusOf(client.call('POST', '/users/me/access-tokens', { name: 'n' }));
    const statuses = await Promise.all(Array.from({ length: 30 }, create));
    expect([201, 409].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([20, 10]);
    const [first] = await tokensOf(client);
    await client.ok('DELETE', `/users/me/access-tokens/${first?.id}`);
    expect([await create(), await create()]).toEqual([201, 409]);
  });
  test('a token grants only permissions that both the user and the creator hold', async () => {
    const { id } = await hire('colleague', { permissions: ['manage_bots'] });
    const path = `/users/${id}/access-tokens`;
    expect(await statusOf(manager.call('POST', path, { name: 'n', permissions: ['manage_users'] }))).toBe(403);
    const byToken = anybody.as((await createToken(manager, {}, path)).token);
    expect(await statusOf(byToken.call('POST', '/bots', bot))).toBe(201);
    await admin.ok('PUT', `/users/${id}/access`, { canLogin: true, permissions: ['manage_bots', 'manage_sensors'] });
    expect(await statusOf(byToken.call('POST', '/sensor-groups', { name: 'n', sensorIds: [] }))).toBe(403);
    expect(await statusOf(manager.call('POST', path, { name: 'n', permissions: ['manage_bots'] }))).toBe(403);
  });
  test('a token does not work as a cookie', async () => {
    const { client } = await hire('baker');
    const cookie = `PSAUTHTOKEN=${(await createToken(client)).token}`;
    expect(await statusOf(anybody.call('GET', '/users/me', undefined, { cookie }))).toBe(401);
  });
});
