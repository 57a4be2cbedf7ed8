import { describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { nurse, START } from '#test/fixtures/guard.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { some } from '#test/fixtures/store-items.ts';

const accountKey = 'key';
const { epoch, mailbox } = nurse;
const reset = some({ ...nurse, accountKey, createDate: START, expires: START + 1_500 });

const createWorld = async (account: object = {}) => {
  const { its, table } = memoryStore();
  await table.write({ put: { ...nurse, ...account, ...items.account({ accountKey }) } });
  await table.write({ put: { hash: 'old', ...items.password({ accountKey }) } });
  await its.resets.create('code', reset);
  return { its, table, resets: its.resets };
};

test('a password code is found by hash until the second after it expires', async () => {
  const { resets, table } = await createWorld();
  const ttl = START / 1_000 + 2;
  expect(await resets.byHash('code')).toMatchObject({ accountKey, epoch, mailbox, expires: START + 1_500, ttl });
  expect(await resets.byHash('another')).toBeNull();
  expect(await table.get(items.resetOfAccount({ accountKey, hash: 'code' }))).toMatchObject({ ttl });
});

test('a password code works only once and ends all sessions', async () => {
  const { resets, its } = await createWorld();
  expect([await resets.use('code', reset, 'new'), await resets.use('code', reset, 'newer')]).toEqual([true, false]);
  expect(await its.sessions.passwordHash(accountKey)).toBe('new');
  expect(await its.sessions.account(accountKey)).toMatchObject({ epoch: epoch + 1 });
  expect(await resets.byHash('code')).toBeNull();
});

test.each([
  ['another code or a login has set the password', { epoch: epoch + 1 }],
  ['the email address has changed', { mailbox: mailbox + 1 }],
  ['the user may not log in', { canLogin: false }],
])('a password code does not work if %s', async (_, account) => {
  const { resets, its } = await createWorld(account);
  expect(await resets.use('code', reset, 'new')).toBe(false);
  expect(await its.sessions.passwordHash(accountKey)).toBe('old');
  expect(await resets.byHash('code')).not.toBeNull();
});

test('a password code does not work for a user who logs in through an identity provider', async () => {
  const { resets, its, table } = await createWorld();
  await table.write({ remove: items.password({ accountKey }) });
  expect(await resets.use('code', reset, 'new')).toBe(false);
  expect(await its.sessions.passwordHash(accountKey)).toBeNull();
});

describe('identity provider logins', () => {
  const login = { browser: 'b', nonce: 'n', verifier: 'v', expires: START + 1 };
  test('an identity provider login can be completed only once, with its own state', async () => {
    const { its, table } = memoryStore();
    await its.externals.startLogin('state', login);
    expect(await table.get(items.oidcLogin({ hash: 'state' }))).toMatchObject({ ttl: START / 1_000 + 1 });
    expect(await its.externals.completeLogin('another')).toBeNull();
    expect(await its.externals.completeLogin('state')).toMatchObject(login);
    expect(await its.externals.completeLogin('state')).toBeNull();
    expect(await table.get(items.oidcLogin({ hash: 'another' }))).toBeNull();
  });

  test('an identity provider login keeps the ID token for logout until the session ends', async () => {
    const { its, table } = memoryStore();
    await its.externals.keepIdToken('h', 'id token', START + 1);
    expect([await its.externals.idToken('h'), await its.externals.idToken('i')]).toEqual(['id token', null]);
    expect(await table.get(items.idToken({ hash: 'h' }))).toMatchObject({ ttl: START / 1_000 + 1 });
  });
});
