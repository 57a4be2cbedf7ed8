import { describe, expect, test } from 'vitest';
import { AUDIT_RETENTION } from '#shared/domain/identity/audit-kinds.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { channelKinds } from '#shared/domain/people/channel.ts';
import type { UserItem } from '#shared/store/identity/users.ts';
import { items } from '#shared/store/table.ts';
import { START } from '#test/fixtures/guard.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { some } from '#test/fixtures/store-items.ts';

const HOME = 3;
const person = (fields: object = {}): UserItem =>
  some({
    id: 7,
    customerId: HOME,
    username: 'Nurse',
    accountKey: 'key',
    isAdmin: false,
    permissions: ['manage_rules'],
    canLogin: true,
    locale: 'de',
    email: 'nurse@example.org',
    ...fields,
  });
const createWorld = async () => {
  const { its, table } = memoryStore();
  await its.customers.create(some({ id: HOME, name: 'home' }));
  const create = (fields: object = {}, limit = 10) => {
    const user = person(fields);
    return its.users.create(user, user.accountKey, 'hash', limit);
  };
  const rights = () => its.sessions.account('key');
  const count = async () => ((await its.customers.get(HOME)) as unknown as { users: number; members: number }).users;
  return { its, table, create, rights, count, users: its.users };
};

test('a new user can log in with the granted permissions', async () => {
  const { its, create, rights, table } = await createWorld();
  expect(await create()).toBeNull();
  expect(await rights()).toMatchObject({
    accountId: 7,
    username: 'Nurse',
    customerId: HOME,
    isAdmin: false,
    permissions: ['manage_rules'],
    canLogin: true,
    locale: 'de',
    epoch: 0,
    mailbox: 0,
  });
  expect(await rights()).not.toHaveProperty('isExternal');
  expect(await its.sessions.passwordHash('key')).toBe('hash');
  expect(await its.sessions.accountKeyOf(usernameKey('nurse'))).toBe('key');
  expect(await table.get(items.owner({ kind: 'user', id: 7 }))).toMatchObject({ customerId: HOME });
});

test('a new user is found only under the right customer', async () => {
  const { users, create } = await createWorld();
  await create();
  const { pk: _, sk, ...stored } = (await users.get(HOME, 7)) ?? { pk: '', sk: '' };
  expect(stored).toEqual(person());
  expect([await users.get(HOME + 1, 7), await users.get(null, 7)]).toEqual([null, null]);
  expect((await users.list(HOME)).map(({ id }) => id)).toEqual([7]);
  expect(await users.list(null)).toEqual([]);
});

test('a new user is rejected if the username differs only in case, even across customers', async () => {
  const { create, its, users, count } = await createWorld();
  await create();
  await its.customers.create(some({ id: HOME + 1, name: 'other' }));
  const twin = { id: 8, accountKey: 'key 8', username: 'nURSE' };
  for (const customerId of [HOME, HOME + 1, null]) expect(await create({ ...twin, customerId })).toBe('username_taken');
  expect([await users.get(HOME, 8), await its.sessions.account('key 8'), await count()]).toEqual([null, null, 1]);
});

test('a new user needs an existing customer, and is rejected above the limit', async () => {
  const { create, count } = await createWorld();
  expect(await create({ customerId: 99 })).toBe('customer_unknown');
  expect(await create({}, 1)).toBeNull();
  expect(await create({ id: 8, accountKey: 'key 8', username: 'b' }, 1)).toBe('limit_reached');
  expect(await count()).toBe(1);
});

test('a new user without a customer is listed separately and does not count toward a limit', async () => {
  const { create, users, table, count } = await createWorld();
  expect(await create({ customerId: null }, 0)).toBeNull();
  expect(await users.get(null, 7)).toMatchObject({ id: 7 });
  expect((await users.list(null)).map(({ id }) => id)).toEqual([7]);
  expect(await table.get(items.owner({ kind: 'user', id: 7 }))).toMatchObject({ customerId: 0 });
  expect(await count()).toBe(0);
});

test("a new user never overwrites another user's item or account", async () => {
  const { create, its } = await createWorld();
  await create();
  expect(await create({ username: 'b', accountKey: 'key 8' })).toBe('username_taken');
  expect(await create({ username: 'c', id: 8 })).toBe('username_taken');
  expect(await its.sessions.account('key')).toMatchObject({ accountId: 7, username: 'Nurse' });
});

test('an identity provider user has no password and is found by subject', async () => {
  const { its, users } = await createWorld();
  expect(await users.createExternal(person(), 'key', 'subject', 10)).toBeNull();
  expect(await its.sessions.passwordHash('key')).toBeNull();
  expect(await its.sessions.account('key')).toMatchObject({ isExternal: true });
  expect(await users.get(HOME, 7)).toMatchObject({ subject: 'subject' });
  expect(await its.externals.usersOf('subject')).toMatchObject([{ userId: 7, customerId: HOME }]);
  const again = { ...person({ id: 8, username: 'b' }) };
  expect(await users.createExternal(again, 'key 8', 'subject', 10)).toBe('username_taken');
  const elsewhere = { ...person({ id: 9, username: 'c', customerId: null }) };
  expect(await users.createExternal(elsewhere, 'key 9', 'subject', 10)).toBeNull();
  expect((await its.externals.usersOf('subject')).map(({ customerId }) => customerId)).toEqual([0, HOME]);
});

describe('user profiles', () => {
  const profile = (fields: object = {}) =>
    some({ firstName: 'F', locale: 'en', email: 'nurse@example.org', ...fields });
  const resetTo = some({ email: 'nurse@example.org', until: START });
  test("a profile changes together with the account's language", async () => {
    const { create, users, rights } = await createWorld();
    await create();
    expect(await users.setProfile(person(), profile(), resetTo, START)).toBe(true);
    const changed = await users.get(HOME, 7);
    expect(changed).toMatchObject({ firstName: 'F', locale: 'en', updateDate: START });
    expect(changed).not.toHaveProperty('resetTo');
    expect(await rights()).toMatchObject({ locale: 'en', mailbox: 0 });
  });

  test('a new email address invalidates codes sent to the old one', async () => {
    const { create, users, rights } = await createWorld();
    await create();
    expect(await users.setProfile(person(), profile({ email: 'new@example.org' }), resetTo, START)).toBe(true);
    expect(await users.get(HOME, 7)).toMatchObject({ email: 'new@example.org', resetTo });
    expect(await rights()).toMatchObject({ mailbox: 1 });
  });

  test('a profile cannot be changed if the address or permissions have changed since they were read', async () => {
    const { create, users, rights } = await createWorld();
    expect(await users.setProfile(person(), profile(), null, START)).toBe(false);
    await create();
    const set = (read: object) => users.setProfile(person(read), profile({ email: 'new@example.org' }), null, START);
    expect(await set({ email: 'other@example.org' })).toBe(false);
    expect(await set({ permissions: [] })).toBe(false);
    expect(await set({ isAdmin: true })).toBe(false);
    expect(await users.get(HOME, 7)).toMatchObject({ email: 'nurse@example.org' });
    expect(await rights()).toMatchObject({ locale: 'de', mailbox: 0 });
  });
});

describe('user access', () => {
  const access = (fields: object = {}) => some({ permissions: ['manage_bots'], canLogin: true, ...fields });
  const duty = items.duty({ customerId: HOME, userId: 7 });
  const onDuty = { ...duty, until: START };
  test('access changes take effect with the next request', async () => {
    const { create, users, rights, table } = await createWorld();
    await create();
    await table.write({ put: onDuty });
    expect(await users.setAccess(person(), access(), START)).toBe(true);
    expect(await rights()).toMatchObject({ permissions: ['manage_bots'], canLogin: true, epoch: 0 });
    expect(await users.get(HOME, 7)).toMatchObject({ permissions: ['manage_bots'], updateDate: START });
    expect(await table.get(duty)).not.toBeNull();
  });

  test("losing login access ends the user's sessions and duty", async () => {
    const { create, users, rights, table } = await createWorld();
    await create();
    await table.write({ put: onDuty });
    expect(await users.setAccess(person(), access({ canLogin: false }), START)).toBe(true);
    expect(await rights()).toMatchObject({ canLogin: false, epoch: 1 });
    expect(await table.get(duty)).toBeNull();
  });

  test('access withdrawn by an identity provider stays marked until granted again', async () => {
    const { create, users } = await createWorld();
    await create();
    const lost = access({ canLogin: false, permissions: ['manage_rules'] });
    expect(await users.setAccess(person(), lost, START, true)).toBe(true);
    expect(await users.get(HOME, 7)).toMatchObject({ lostAccess: true });
    expect(await users.setAccess(person(), access(), START)).toBe(true);
    expect(await users.get(HOME, 7)).not.toHaveProperty('lostAccess');
  });

  test('access cannot be changed if it has changed since it was read', async () => {
    const { create, users, rights } = await createWorld();
    expect(await users.setAccess(person(), access(), START)).toBe(false);
    expect(await users.get(HOME, 7)).toBeNull();
    await create();
    expect(await users.setAccess(person({ permissions: [] }), access(), START)).toBe(false);
    expect(await users.setAccess(person({ isAdmin: true }), access(), START)).toBe(false);
    expect(await rights()).toMatchObject({ permissions: ['manage_rules'] });
  });
});

describe('deleted users', () => {
  test('deleting a user removes the login, duty and channels and frees the username', async () => {
    const { create, users, table, its, count, rights } = await createWorld();
    await create();
    const duty = items.duty({ customerId: HOME, userId: 7 });
    const channels = channelKinds.map((by) => items.channel({ customerId: HOME, userId: 7, by }));
    for (const key of [duty, items.otp({ accountKey: 'key' }), ...channels]) await table.write({ put: { ...key } });
    expect(await users.remove(person(), START + 1)).toBe(true);
    expect([await users.get(HOME, 7), await rights(), await its.sessions.passwordHash('key')]).toEqual([
      null,
      null,
      null,
    ]);
    expect(await its.otps.get('key')).toBeNull();
    expect(await its.sessions.accountKeyOf(usernameKey('Nurse'))).toBeNull();
    for (const key of [duty, items.owner({ kind: 'user', id: 7 }), ...channels])
      expect(await table.get(key)).toBeNull();
    expect(await count()).toBe(0);
    expect(await create({ accountKey: 'key 2' })).toBeNull();
  });

  test('a deleted user is remembered as long as the audit log is kept, to allow erasure', async () => {
    const { create, users } = await createWorld();
    await create();
    await users.remove(person(), START + 1);
    const ttl = Math.ceil((START + 1 + AUDIT_RETENTION) / 1_000);
    expect(await users.former(HOME, 7)).toMatchObject({ accountKey: 'key', ttl });
    expect(await users.former(null, 7)).toBeNull();
  });

  test('a user without a customer can be deleted too', async () => {
    const { create, users } = await createWorld();
    await create({ customerId: null });
    expect(await users.remove(person({ customerId: null }), START)).toBe(true);
    expect(await users.get(null, 7)).toBeNull();
    expect(await users.former(null, 7)).toMatchObject({ accountKey: 'key' });
    expect(await users.remove(person({ customerId: null }), START)).toBe(false);
  });

  test('a deleted identity provider user is no longer found by subject', async () => {
    const { its, users } = await createWorld();
    await users.createExternal(person(), 'key', 'subject', 10);
    expect(await users.remove(person({ subject: 'subject' }), START)).toBe(true);
    expect(await its.externals.usersOf('subject')).toEqual([]);
  });

  test('a user can be deleted only once, and only if permissions are unchanged', async () => {
    const { create, users, count } = await createWorld();
    await create();
    expect(await users.remove(person({ permissions: [] }), START)).toBe(false);
    expect(await users.remove(person({ isAdmin: true }), START)).toBe(false);
    expect([await users.get(HOME, 7), await count()]).toEqual([expect.anything(), 1]);
    expect([await users.remove(person(), START), await users.remove(person(), START)]).toEqual([true, false]);
    expect(await count()).toBe(0);
  });
});
