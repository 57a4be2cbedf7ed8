import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Item } from '#shared/store/engine/request.ts';
import type { Key } from '#shared/store/key.ts';
import { type Client, clientOf } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';
import { beginOidc, followLogin, type IssuerHere, startIssuer, withCookie } from '#test/fixtures/issuer.ts';

const homes = ['maple', 'elm', 'oak'];
let issuer: IssuerHere;
let cloud: Cloud;
let anybody: Client;
let admin: Client;
/** Runs once, when an account is read. */
let onAccountRead: (() => Promise<unknown>) | null = null;
const wrap = (runtime: Runtime): Runtime => ({
  ...runtime,
  table: {
    ...runtime.table,
    get: async <T extends Item>(key: Key) => {
      const act = key.sk === 'ACCOUNT' ? onAccountRead : null;
      if (act) onAccountRead = null;
      await act?.();
      return runtime.table.get<T>(key);
    },
  },
});
beforeAll(async () => {
  issuer = await startIssuer();
  const rules = homes.map((value, at) => ({ claim: 'groups', value, customerId: at + 1 }));
  cloud = await startTestCloud({ environment: issuer.environment(rules), wrap });
  anybody = clientOf(cloud.url);
  admin = await adminOf(cloud.url);
  for (const home of homes) await createHome(admin, home, []);
});
afterAll(() => Promise.all([cloud.stop(), issuer.stop()]));

const login = async (name: string, group: string) => {
  issuer.people.set(name, { groups: [group] });
  const { url, cookie } = await beginOidc(anybody);
  const { search } = await followLogin(url, name);
  const { status, body } = await withCookie(anybody, cookie).call('POST', '/users/login/oidc/answer', {
    query: search,
  });
  return { status, user: body as { id: number; username: string; customerId: number } };
};

/**
 * Returns each home's new login entries in the audit log, sorted because entries from the same millisecond have no
 * defined order.
 */
const newLogins = async (seen: Set<string>, userIds: readonly number[]) => {
  const lines = homes.map(async (_, at) => {
    const [page] = await admin.ok<[{ data: AuditEntry[] }]>('GET', `/customers/${at + 1}/audit?operation=finishOidc`);
    const fresh = page.data.filter(({ id, actor }) => !seen.has(id) && userIds.includes(Number(actor.id)));
    for (const { id } of fresh) seen.add(id);
    return fresh.map(({ refused }) => (refused ? 'refused' : 'done')).sort();
  });
  return Promise.all(lines);
};

test('OpenID Connect users who change customers get a unique username at each', async () => {
  await hireFor(admin, 1, 'emil');
  const users = [];
  for (const home of homes) users.push(await login('emil', home));
  expect(users.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(users.map(({ user }) => user.username)).size).toBe(3);
});

test('logs an OpenID Connect login only for the customers it affects', async () => {
  const seen = new Set<string>();
  const maple = await login('paul', 'maple');
  const elm = await login('paul', 'elm');
  const ids = [maple.user.id, elm.user.id];
  // The move revoked access to one home and granted access to the other.
  expect(await newLogins(seen, ids)).toEqual([['done', 'done'], ['done'], []]);
  await login('paul', 'maple');
  expect(await newLogins(seen, ids)).toEqual([['done'], ['done'], []]);
  await login('paul', 'maple');
  expect(await newLogins(seen, ids)).toEqual([['done'], [], []]);
  expect((await login('paul', 'nowhere')).status).toBe(401);
  expect(await newLogins(seen, ids)).toEqual([['done', 'refused'], [], []]);
});

test("the audit log shows the service's username, even if the issuer uses a different one", async () => {
  await hireFor(admin, 1, 'greta');
  const { user } = await login('greta', 'maple');
  const [page] = await admin.ok<[{ data: AuditEntry[] }]>('GET', `/customers/1/audit?actorId=${user.id}`);
  expect(page.data.map(({ actor }) => actor.name)).toEqual([user.username]);
});

test('OpenID Connect refuses a login if the user is locked out during the login', async () => {
  const { user } = await login('rosa', 'oak');
  const access = { canLogin: false, permissions: [], isAdmin: false };
  onAccountRead = () => admin.ok('PUT', `/users/${user.id}/access`, access);
  expect((await login('rosa', 'oak')).status).toBe(401);
  expect(onAccountRead).toBeNull();
});
