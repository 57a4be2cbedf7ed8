import { describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { loggedIn, nurse, START } from '#test/fixtures/guard.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { some } from '#test/fixtures/store-items.ts';

const accountKey = 'key';
const user = some({ id: 7, customerId: 3, accountKey, permissions: nurse.permissions, isAdmin: nurse.isAdmin });
const secret = some({ sealed: 's1' });
const proof = { lastStep: 5, codes: ['c1', 'c2'], sessionHash: 'h' };

const createWorld = async (isEnabled = true) => {
  const { its, table } = memoryStore();
  await table.write({ put: { ...nurse, ...items.account({ accountKey }) } });
  await table.write({ put: { id: 7, ...items.user({ customerId: 3, userId: 7 }) } });
  await its.sessions.start(accountKey, 'h', { ...loggedIn, id: 'l', expires: START, mustSetOtp: true });
  expect(await its.otps.storeSecret(accountKey, 's1')).toBe(true);
  if (isEnabled) expect(await its.otps.enable(user, secret, proof)).toBe(true);
  return { otps: its.otps, its, table };
};

test('a second factor secret can be replaced only until it is enabled', async () => {
  const { otps } = await createWorld(false);
  expect(await otps.get(accountKey)).toMatchObject({ sealed: 's1', isOn: false, lastStep: 0, codes: [] });
  expect(await otps.storeSecret(accountKey, 's2')).toBe(true);
  expect(await otps.enable(user, secret, proof)).toBe(false);
  expect(await otps.enable(user, some({ sealed: 's2' }), proof)).toBe(true);
  expect(await otps.storeSecret(accountKey, 's3')).toBe(false);
  expect(await otps.get(accountKey)).toMatchObject({ sealed: 's2', isOn: true, lastStep: 5, codes: ['c1', 'c2'] });
});

test("enabling a second factor works only once and lifts the session's limits", async () => {
  const { otps, its } = await createWorld();
  expect(await its.sessions.account(accountKey)).toMatchObject({ hasOtp: true });
  expect(await its.users.get(3, 7)).toMatchObject({ hasOtp: true });
  expect(await its.sessions.session('h')).not.toHaveProperty('mustSetOtp');
  expect(await otps.enable(user, secret, { ...proof, codes: ['c9'] })).toBe(false);
  expect((await otps.get(accountKey))?.codes).toEqual(['c1', 'c2']);
});

test('enabling a second factor fails for a deleted user, and the session stays limited', async () => {
  for (const key of [items.account({ accountKey }), items.user({ customerId: 3, userId: 7 })]) {
    const { otps, its, table } = await createWorld(false);
    await table.write({ remove: key });
    expect(await otps.enable(user, secret, proof)).toBe(false);
    expect(await table.get(key)).toBeNull();
    expect(await its.sessions.session('h')).toHaveProperty('mustSetOtp');
  }
});

test('enabling a second factor does not restore a session that has ended', async () => {
  const { otps, its } = await createWorld(false);
  await its.sessions.end('h');
  expect(await otps.enable(user, secret, proof)).toBe(true);
  expect(await its.sessions.session('h')).toBeNull();
});

describe('authenticator app codes', () => {
  test('an authenticator app code is accepted only once, and earlier codes are rejected', async () => {
    const { otps } = await createWorld();
    const use = (step: number, sealed = 's1') => otps.useStep(accountKey, some({ sealed }), step);
    expect([await use(5), await use(6, 'another'), await use(7), await use(7), await use(6), await use(8)]).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });
});

describe('recovery codes', () => {
  test('a recovery code is accepted only once', async () => {
    const { otps } = await createWorld();
    const use = (code: string) => otps.useCode(accountKey, code);
    expect([await use('c3'), await use('c1'), await use('c1'), await use('c2')]).toEqual([false, true, false, true]);
    expect((await otps.get(accountKey))?.codes).toEqual([]);
    expect(await otps.useCode('another', 'c1')).toBe(false);
  });

  test('a recovery code is accepted by only one of several parallel requests', async () => {
    const { otps } = await createWorld();
    const used = await Promise.all(['c1', 'c1', 'c2', 'c2'].map((code) => otps.useCode(accountKey, code)));
    expect(used.filter(Boolean)).toHaveLength(2);
    expect((await otps.get(accountKey))?.codes).toEqual([]);
  });
});

describe('removing the second factor', () => {
  test('removing the second factor ends all sessions and succeeds only once', async () => {
    const { otps, its } = await createWorld();
    expect(await otps.remove(user)).toBeNull();
    expect(await otps.get(accountKey)).toBeNull();
    const account = await its.sessions.account(accountKey);
    expect(account).toMatchObject({ epoch: nurse.epoch + 1 });
    expect([account, await its.users.get(3, 7)].filter((item) => item && 'hasOtp' in item)).toEqual([]);
    expect(await otps.remove(user)).toBe('off');
  });

  test("removing the second factor fails if none is enabled or the user's permissions have changed", async () => {
    const { otps } = await createWorld(false);
    expect(await otps.remove(user)).toBe('off');
    const enabled = await createWorld();
    const changed = some({ ...(user as object), permissions: [] });
    expect(await enabled.otps.remove(changed)).toBe('changed');
    expect(await enabled.otps.remove(some({ ...(user as object), customerId: 4 }))).toBe('changed');
    expect(await enabled.otps.get(accountKey)).toMatchObject({ isOn: true });
  });
});
