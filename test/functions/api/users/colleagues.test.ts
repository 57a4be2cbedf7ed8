import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Permission } from '#shared/domain/identity/permission.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import type { Answer, Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let manager: Client;
/** Runs while a password is hashed. */
let duringHash: () => Promise<unknown> = async () => {};
beforeAll(async () => {
  const wrap = (runtime: Runtime): Runtime => {
    const hash = async (password: string) => {
      await duringHash();
      return (await runtime.passwords()).hash(password);
    };
    return { ...runtime, passwords: async () => ({ ...(await runtime.passwords()), hash }) };
  };
  cloud = await startTestCloud({ wrap });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ['manage_users', 'manage_bots']);
  manager = home.client;
});
afterAll(async () => {
  await cloud.stop();
});

const hire = (username: string, permissions: readonly Permission[]) =>
  hireFor(admin, home.customerId, username, { permissions, email: `${username}@example.com` });
const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
const names = { firstName: 'A', lastName: 'B', locale: 'en', telegramId: null, mobileNumber: null } as const;
const newPassword = 'taken-over-by-a-colleague';
const token = { name: 'n' };

/** The requests that take over or control the user's login, each with the status on success. */
const takeoverCalls = ({ id }: { id: number }) => {
  const path = `/users/${id}`;
  return [
    ['PUT', path, { ...names, email: 'elsewhere@example.com' }, 200],
    ['PUT', `${path}/access`, { canLogin: false, permissions: [] }, 200],
    ['PUT', `${path}/password`, { newPassword }, 200],
    ['GET', `${path}/access-tokens`, undefined, 200],
    ['POST', `${path}/access-tokens`, token, 201],
    ['DELETE', `${path}/access-tokens/00000000-0000-4000-8000-000000000000`, undefined, 404],
    ['DELETE', path, undefined, 200],
  ] as const;
};

describe('a caller with manage_users', () => {
  test('manage_users is not enough to take over a colleague with more permissions', async () => {
    const colleague = await hire('ruler', ['manage_rules', 'manage_bots']);
    await colleague.client.ok('POST', '/users/me/access-tokens', token);
    const before = await manager.ok('GET', `/users/${colleague.id}`);
    for (const [method, path, body] of takeoverCalls(colleague))
      expect([method, path, await statusOf(manager.call(method, path, body))]).toEqual([method, path, 403]);
    expect(await manager.ok('GET', `/users/${colleague.id}`)).toEqual(before);
    expect(await colleague.client.ok('GET', '/users/me/access-tokens')).toHaveLength(1);
    const renamed = { ...names, firstName: 'New', email: before.email };
    expect(await manager.ok('PUT', `/users/${colleague.id}`, renamed)).toMatchObject({ firstName: 'New' });
  });

  test.each<[string, Permission[]]>([
    ['a colleague with the same permissions', ['manage_users', 'manage_bots']],
    ['a colleague without permissions', []],
  ])('manage_users is enough to control the login of %s', async (_, permissions) => {
    const colleague = await hire(`equal-${permissions.length}`, permissions);
    for (const [method, path, body, status] of takeoverCalls(colleague))
      expect([method, path, await statusOf(manager.call(method, path, body))]).toEqual([method, path, status]);
  });

  test('a token with only manage_users cannot control colleagues with more permissions', async () => {
    const colleague = await hire('botanist', ['manage_bots']);
    const limited = { name: 'n', permissions: ['manage_users'] };
    const { token } = await manager.ok<{ token: string }>('POST', '/users/me/access-tokens', limited);
    const byToken = admin.as(token);
    expect(await statusOf(byToken.call('DELETE', `/users/${colleague.id}`))).toBe(403);
    expect(await statusOf(byToken.call('GET', `/users/${colleague.id}/access-tokens`))).toBe(403);
    expect(await statusOf(manager.call('DELETE', `/users/${colleague.id}`))).toBe(200);
    // The token may not even delete or change the user it belongs to, who has more permissions.
    const access = { canLogin: false, permissions: [] };
    expect(await statusOf(byToken.call('DELETE', '/users/me'))).toBe(403);
    expect(await statusOf(byToken.call('PUT', '/users/me/access', access))).toBe(403);
  });

  test('revoking manage_users takes effect on the next request, in all sessions and tokens', async () => {
    const former = await hire('former', ['manage_users']);
    const victim = await hire('victim', []);
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () =>
        former.client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n', permissions: null }),
      ),
    );
    const clients = [former.client, ...tokens.map(({ token }) => admin.as(token))];
    const call = (at: number) => clients[at % clients.length]?.call('GET', `/users/${victim.id}/access-tokens`);
    const fifty = () => Promise.all(Array.from({ length: 50 }, async (_, at) => (await call(at))?.status));
    const before = fifty();
    await manager.ok('PUT', `/users/${former.id}/access`, { canLogin: true, permissions: [] });
    expect(await fifty()).toEqual(Array(50).fill(403));
    expect((await before).filter((status) => status !== 200 && status !== 403)).toEqual([]);
  });

  test('manage_users is not enough to take over a colleague who just gained permissions', async () => {
    const { users, accessTokens } = store(cloud.runtime.table);
    const { id } = await hire('rising', []);
    const stale = await users.get(home.customerId, id);
    if (!stale) throw new Error('there is no such user');
    const more = { canLogin: true, permissions: ['manage_rules'] };
    duringHash = () => admin.ok('PUT', `/users/${id}/access`, more);
    expect(await statusOf(manager.call('PUT', `/users/${id}/password`, { newPassword }))).toBe(403);
    const profile = { ...names, email: 'elsewhere@example.com' };
    expect(await users.setProfile(stale, profile, null, 0)).toBe(false);
    expect(await users.remove(stale, 0)).toBe(false);
    const session = { id: 'i', hash: 'h', expires: null } as never;
    expect(await accessTokens.create(stale, 'hash', session, 0)).toBe('changed');
    expect(await users.get(home.customerId, id)).toMatchObject({ email: stale.email, ...more });
  });
});
