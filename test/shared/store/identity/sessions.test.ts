import { describe, expect, test } from 'vitest';
import type { Table } from '#shared/store/engine/client.ts';
import type { ReadUser } from '#shared/store/identity/sessions.ts';
import { items } from '#shared/store/table.ts';
import { loggedIn, nurse, START } from '#test/fixtures/guard.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';

const accountKey = 'key';
const login = { ...loggedIn, id: 'login', expires: START + 60_500 };
const hash = 'h';
const user: ReadUser = { accountKey, isAdmin: nurse.isAdmin, permissions: nurse.permissions };

const putAccount = async (table: Table) => {
  await table.write({ put: { ...nurse, ...items.account({ accountKey }) } });
  await table.write({ put: { hash: 'old', ...items.password({ accountKey }) } });
};

test('a session and its login are stored until the second after they expire', async () => {
  const { its, table } = memoryStore();
  await its.sessions.start(accountKey, hash, login);
  const ttl = START / 1_000 + 61;
  expect(await its.sessions.session(hash)).toMatchObject({ ...login, ttl });
  const key = items.login({ accountKey, createDate: login.createDate, sessionId: 'login' });
  expect(await table.get(key)).toEqual({ ...key, id: 'login', hash, ttl });
});

test('a session stays in the login list until it can no longer be extended', async () => {
  const { its, table } = memoryStore();
  await its.sessions.start(accountKey, hash, login, START + 90_000_000);
  expect(await its.sessions.session(hash)).toMatchObject({ ttl: START / 1_000 + 61 });
  const [listed] = await table.queryAll<{ ttl: number }>({ pk: items.login.pk({ accountKey }) });
  expect(listed?.ttl).toBe(START / 1_000 + 90_000);
});

test('a session is extended only once per use, and never after it has ended', async () => {
  const { its } = memoryStore();
  await its.sessions.start(accountKey, hash, login);
  const extend = () => its.sessions.renew(hash, login.expires, START + 100_001);
  expect([await extend(), await extend()]).toEqual([true, false]);
  expect(await its.sessions.session(hash)).toMatchObject({ expires: START + 100_001, ttl: START / 1_000 + 101 });
  await its.sessions.end(hash);
  expect(await its.sessions.renew(hash, START + 100_001, START + 200_000)).toBe(false);
  expect(await its.sessions.session(hash)).toBeNull();
});

test('ending a session twice succeeds', async () => {
  const { its } = memoryStore();
  await its.sessions.start(accountKey, hash, login);
  await its.sessions.end(hash);
  await its.sessions.end(hash);
  expect(await its.sessions.session(hash)).toBeNull();
});

test('a session and its account can be read with a lag, at half the cost', async () => {
  const reads: string[] = [];
  const { its, table } = memoryStore((command) => void reads.push(command));
  await its.sessions.start(accountKey, hash, login);
  await putAccount(table);
  expect(await its.sessions.session(hash, true)).toMatchObject(login);
  expect(await its.sessions.account(accountKey, true)).toMatchObject(nurse);
  reads.length = 0;
  // Anything missing from a lagging replica is read again.
  expect([await its.sessions.session('x', true), await its.sessions.session('x')]).toEqual([null, null]);
  expect(reads).toEqual(['GetCommand', 'GetCommand', 'GetCommand']);
  reads.length = 0;
  expect([await its.sessions.account('x', true), await its.sessions.account('x')]).toEqual([null, null]);
  expect(reads).toHaveLength(3);
});

describe('passwords', () => {
  const passwordOf = ({ its }: ReturnType<typeof memoryStore>) => its.sessions.passwordHash(accountKey);
  test('setting a password ends all sessions, and fails if a different password has been set since', async () => {
    const world = memoryStore();
    await putAccount(world.table);
    expect(await world.its.sessions.setPassword(user, 'another', 'new')).toBe(false);
    expect(await passwordOf(world)).toBe('old');
    expect(await world.its.sessions.setPassword(user, 'old', 'new')).toBe(true);
    expect(await passwordOf(world)).toBe('new');
    expect(await world.its.sessions.account(accountKey)).toMatchObject({ epoch: nurse.epoch + 1 });
  });

  test("a manager can set any user's password unless the user was deleted", async () => {
    const world = memoryStore();
    await putAccount(world.table);
    expect(await world.its.sessions.setPassword(user, null, 'new')).toBe(true);
    await world.table.write({ remove: items.password({ accountKey }) });
    expect(await world.its.sessions.setPassword(user, null, 'newer')).toBe(false);
    expect(await passwordOf(world)).toBeNull();
  });

  test("a password cannot be set if the user's permissions have changed", async () => {
    const changed: Partial<ReadUser>[] = [{ isAdmin: true }, { permissions: ['manage_users'] }];
    for (const rights of changed) {
      const world = memoryStore();
      await putAccount(world.table);
      expect(await world.its.sessions.setPassword({ ...user, ...rights }, null, 'new')).toBe(false);
      expect([await passwordOf(world), (await world.its.sessions.account(accountKey))?.epoch]).toEqual([
        'old',
        nurse.epoch,
      ]);
    }
  });

  test('a password is rehashed only if unchanged', async () => {
    const world = memoryStore();
    await putAccount(world.table);
    await world.its.sessions.rehash(accountKey, 'another', 'new');
    expect(await passwordOf(world)).toBe('old');
    await world.its.sessions.rehash(accountKey, 'old', 'new');
    expect(await passwordOf(world)).toBe('new');
    expect(await world.its.sessions.account(accountKey)).toMatchObject({ epoch: nurse.epoch });
  });
});

test("a login's network address is remembered for 400 days per account", async () => {
  const { its, table } = memoryStore();
  await its.sessions.rememberAddress(accountKey, '192.0.2.1', START + 1);
  expect(await its.sessions.isKnownAddress(accountKey, '192.0.2.1')).toBe(true);
  expect(await its.sessions.isKnownAddress(accountKey, '192.0.2.2')).toBe(false);
  expect(await its.sessions.isKnownAddress('another', '192.0.2.1')).toBe(false);
  const row = await table.get(items.knownAddress({ accountKey, address: '192.0.2.1' }));
  expect(row).toMatchObject({ ttl: START / 1_000 + 1 + 400 * 86_400 });
});

test('an account is found by the key derived from the username', async () => {
  const { its, table } = memoryStore();
  await table.write({ put: { ...items.username({ username: 'u' }), accountKey } });
  expect([await its.sessions.accountKeyOf('u'), await its.sessions.accountKeyOf('v')]).toEqual([accountKey, null]);
});

describe('account logins', () => {
  const start = async ({ its }: ReturnType<typeof memoryStore>, n: number) => {
    const session = { ...login, id: `login ${n}`, createDate: START + n };
    await its.sessions.start(accountKey, `h${n}`, session);
    return { ...session, hash: `h${n}` };
  };
  test('account logins are listed newest first, without ended ones', async () => {
    const world = memoryStore();
    for (const n of [1, 2, 3]) await start(world, n);
    await world.its.sessions.end('h2');
    const listed = await world.its.logins.list(accountKey);
    expect(listed.map(({ id, hash }) => [id, hash])).toEqual([
      ['login 3', 'h3'],
      ['login 1', 'h1'],
    ]);
    expect(await world.its.logins.list('another')).toEqual([]);
  });

  test('account logins are limited to the newest 100', async () => {
    const world = memoryStore();
    for (let n = 1; n <= 101; n++) await start(world, n);
    const listed = await world.its.logins.list(accountKey);
    expect([listed.length, listed[0]?.id, listed.at(-1)?.id]).toEqual([100, 'login 101', 'login 2']);
  });

  test('each login of an account can be ended separately, but only once', async () => {
    const world = memoryStore();
    const first = await start(world, 1);
    await start(world, 2);
    expect([await world.its.logins.end(accountKey, first), await world.its.logins.end(accountKey, first)]).toEqual([
      true,
      false,
    ]);
    expect(await world.its.sessions.session('h1')).toBeNull();
    expect(await world.its.sessions.session('h2')).not.toBeNull();
  });
});
