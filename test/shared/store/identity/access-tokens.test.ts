import { describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { nurse, START } from '#test/fixtures/guard.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { some } from '#test/fixtures/store-items.ts';

const accountKey = 'key';
const user = { accountKey, isAdmin: nurse.isAdmin, permissions: nurse.permissions };
const DAY = 86_400_000;

const createWorld = async () => {
  const world = memoryStore();
  await world.table.write({ put: { ...nurse, ...items.account({ accountKey }) } });
  const create = (n: number, expires: number | null = null, now = START, by = user) => {
    const token = some({ id: `t${n}`, kind: 'token', createDate: START + n, expires });
    return world.its.accessTokens.create(by, `hash ${n}`, token, now);
  };
  const list = async (now = START) => (await world.its.accessTokens.list(accountKey, now)).map(({ id }) => id);
  return { ...world, tokens: world.its.accessTokens, create, list };
};

describe('access tokens', () => {
  test('access tokens are listed oldest first until they expire', async () => {
    const { create, list, tokens } = await createWorld();
    await create(3, START + DAY);
    await create(1);
    await create(2, START + 2 * DAY);
    expect(await list()).toEqual(['t1', 't2', 't3']);
    expect(await list(START + DAY - 1)).toEqual(['t1', 't2', 't3']);
    expect(await list(START + DAY)).toEqual(['t1', 't2']);
    expect(await tokens.list('another', START)).toEqual([]);
    const [first, second] = await tokens.list(accountKey, START);
    expect([first?.lastUsed, first?.expiresAt, second?.expiresAt]).toEqual([null, null, START + 2 * DAY]);
  });

  test('access tokens created at the same moment are listed by id', async () => {
    const { tokens, list } = await createWorld();
    for (const id of ['b', 'a', 'c'])
      await tokens.create(user, `hash ${id}`, some({ id, createDate: START, expires: null }), START);
    expect(await list()).toEqual(['a', 'b', 'c']);
  });

  test('a user has at most 20 access tokens, even when creating them in parallel', async () => {
    const { create, list, tokens } = await createWorld();
    const refusals = await Promise.all(Array.from({ length: 22 }, (_, n) => create(n)));
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(20);
    expect(refusals.filter((refusal) => refusal === 'too_many')).toHaveLength(2);
    expect(await list()).toHaveLength(20);
    const [oldest = ''] = await list();
    expect(await tokens.remove(accountKey, oldest, START)).toBe(true);
    expect([await create(30), await create(31)]).toEqual([null, 'too_many']);
  });

  test('expired access tokens no longer count toward the limit', async () => {
    const { create } = await createWorld();
    for (let n = 0; n < 20; n++) await create(n, n === 0 ? START + DAY : null);
    expect(await create(20, null, START + DAY - 1)).toBe('too_many');
    expect(await create(20, null, START + DAY)).toBeNull();
    expect(await create(21, null, START + DAY)).toBe('too_many');
  });

  test("an access token is not created if the user's permissions have changed", async () => {
    const { create, list, its } = await createWorld();
    expect(await create(1, null, START, { ...user, permissions: ['manage_users'] })).toBe('changed');
    expect(await create(1, null, START, { ...user, isAdmin: true })).toBe('changed');
    expect(await list()).toEqual([]);
    expect(await its.sessions.session('hash 1')).toBeNull();
  });

  test('an access token is kept until it expires, or forever without an expiry date', async () => {
    const { create, its } = await createWorld();
    await create(1, START + 1);
    await create(2);
    expect(await its.sessions.session('hash 1')).toMatchObject({ ttl: START / 1_000 + 1 });
    expect(await its.sessions.session('hash 2')).not.toHaveProperty('ttl');
  });

  test('an access token never overwrites a session with the same hash', async () => {
    const { create, its } = await createWorld();
    await create(1);
    expect(await create(1, START + DAY)).toBe('too_many');
    expect(await its.sessions.session('hash 1')).toMatchObject({ expires: null });
  });

  test('access tokens can be deleted one by one until they expire', async () => {
    const { create, list, its, tokens } = await createWorld();
    for (const n of [1, 2]) await create(n, START + DAY);
    expect(await tokens.remove(accountKey, 't1', START + DAY)).toBe(false);
    expect(await tokens.remove('another', 't1', START)).toBe(false);
    expect([await tokens.remove(accountKey, 't1', START), await tokens.remove(accountKey, 't1', START)]).toEqual([
      true,
      false,
    ]);
    expect(await list()).toEqual(['t2']);
    expect(await its.sessions.session('hash 1')).toBeNull();
    expect(await its.sessions.session('hash 2')).not.toBeNull();
  });

  test('access tokens are deleted together with the user', async () => {
    const { create, its, table, tokens } = await createWorld();
    for (const n of [1, 2]) await create(n);
    await tokens.removeAll(accountKey);
    expect(await table.queryAll({ pk: items.accessToken.pk({ accountKey }), beginsWith: 'TOKEN#' })).toEqual([]);
    expect([await its.sessions.session('hash 1'), await its.sessions.session('hash 2')]).toEqual([null, null]);
    expect(await its.sessions.account(accountKey)).not.toBeNull();
  });
});

test('token use is recorded at most once a minute, and never for a deleted token', async () => {
  const { create, its, tokens } = await createWorld();
  await create(1);
  const lastUsed = async () => (await its.sessions.session('hash 1'))?.lastUsed;
  await tokens.recordUse('hash 1', START - 60, START);
  expect(await lastUsed()).toBe(START);
  await tokens.recordUse('hash 1', START - 1, START + 59);
  expect(await lastUsed()).toBe(START);
  await tokens.recordUse('hash 1', START, START + 60);
  expect(await lastUsed()).toBe(START + 60);
  await tokens.recordUse('hash 2', START, START + 60);
  expect(await its.sessions.session('hash 2')).toBeNull();
});
