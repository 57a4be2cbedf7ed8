import { describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const home = { id: 3, name: 'home', location: 'l', email: 'e', timeZone: 'Europe/Berlin', requireOtp: true };
const createWorld = async () => {
  const { its, table } = memoryStore();
  await its.customers.create(some({ ...home, createDate: 1, updateDate: 1 }));
  return { its, table, customers: its.customers };
};

test('a new customer starts out empty and appears in the list', async () => {
  const { customers } = await createWorld();
  const counts = { users: 0, sensors: 0, bots: 0, webhooks: 0, rules: 0, sensorGroups: 0 };
  expect(await customers.get(3)).toMatchObject({ ...home, hooks: {}, members: 0, ...counts });
  expect(await customers.get(3, false)).toMatchObject(home);
  expect(await customers.list()).toMatchObject([home]);
  expect(await customers.get(4)).toBeNull();
});

test('a new customer never overwrites another with the same id', async () => {
  const { customers } = await createWorld();
  await customers.create(some({ ...home, name: 'other' }));
  expect(await customers.get(3)).toMatchObject({ name: 'home' });
  expect(await customers.list()).toMatchObject([{ name: 'home' }]);
});

test('changing a customer updates the list entry and keeps all other fields', async () => {
  const { customers } = await createWorld();
  const changed = { name: 'new', location: '', email: 'x' };
  expect(await customers.update(3, some(changed), now)).toMatchObject({ ...home, ...changed, updateDate: now });
  for (const stored of [await customers.get(3), (await customers.list())[0]])
    expect(stored).toMatchObject({ ...home, ...changed, updateDate: now });
  const given = { ...changed, timeZone: 'UTC', requireOtp: false };
  expect(await customers.update(3, some(given), now)).toMatchObject(given);
  expect(await customers.get(3)).toMatchObject(given);
  expect(await customers.update(4, some(changed), now)).toBeNull();
  expect(await customers.get(4)).toBeNull();
});

test('emergency contacts can be set only for an existing customer', async () => {
  const { customers } = await createWorld();
  const contacts = [some({ name: 'n' })];
  expect(await customers.setEmergencyContacts(3, contacts, now)).toBe(true);
  expect(await customers.get(3)).toMatchObject({ emergencyContacts: contacts, updateDate: now });
  expect(await customers.setEmergencyContacts(4, contacts, now)).toBe(false);
  expect(await customers.get(4)).toBeNull();
});

test('a customer can be deleted only once, and only without users and sensors', async () => {
  const { customers, its, table } = await createWorld();
  const user = some({ id: 7, customerId: 3, username: 'u', accountKey: 'k', isAdmin: false, permissions: [] });
  await its.users.create(user, 'k', 'h', 10);
  await its.duty.setRoster(3, []);
  expect(await customers.remove(3)).toBe('in_use');
  expect([await customers.get(3), (await customers.list()).length]).toMatchObject([home, 1]);
  await its.users.remove(user, now);
  expect([await customers.remove(3), await customers.remove(3)]).toEqual([null, 'gone']);
  expect([await customers.list(), await table.get(items.roster({ customerId: 3 }))]).toEqual([[], null]);
});

test("an object's customer is found by object id", async () => {
  const { customers, table } = await createWorld();
  await table.write({ put: { ...items.owner({ kind: 'rule', id: 40 }), customerId: 3 } });
  await table.write({ put: { ...items.owner({ kind: 'sensor', id: 'id_a' }), customerId: 0 } });
  expect(await customers.ownerOf('rule', 40)).toBe(3);
  expect(await customers.ownerOf('sensor', 'id_a')).toBe(0);
  expect([await customers.ownerOf('bot', 40), await customers.ownerOf('rule', 41)]).toEqual([null, null]);
});

describe('duty', () => {
  const until = now + 3_600_500;
  const put = async (user: object = { canLogin: true }) => {
    const world = await createWorld();
    await world.table.write({ put: { ...items.user({ customerId: 3, userId: 7 }), id: 7, ...user } });
    return { ...world, duty: world.its.duty };
  };
  const row = items.duty({ customerId: 3, userId: 7 });
  test('only users of the customer who can log in can begin duty', async () => {
    const { duty, table } = await put();
    expect(await duty.begin(3, { userId: 7, until })).toBe(true);
    expect(await duty.get(3)).toEqual({ own: [{ userId: 7, until }], roster: [] });
    expect(await table.get(row)).toMatchObject({ ttl: Math.ceil(until / 1_000) + 2 * 86_400 });
    expect(await duty.begin(3, { userId: 8, until })).toBe(false);
    expect(await duty.begin(4, { userId: 7, until })).toBe(false);
    expect(await (await put({ canLogin: false })).duty.begin(3, { userId: 7, until })).toBe(false);
    expect(await duty.get(4)).toEqual({ own: [], roster: [] });
  });

  test('duty does not end if the user has changed it meanwhile', async () => {
    const { duty, table } = await put();
    await duty.begin(3, { userId: 7, until });
    const own = async () => (await duty.get(3)).own;
    for (const read of [{ until: until + 1 }, {}, { until, offSince: 1 }]) {
      await duty.end(3, { userId: 7, ...read }, now);
      expect(await own()).toEqual([{ userId: 7, until }]);
    }
    await duty.end(3, { userId: 7, until }, now);
    expect(await own()).toEqual([{ userId: 7, offSince: now }]);
    expect(await table.get(row)).toMatchObject({ ttl: now / 1_000 + 2 * 86_400 });
    await duty.end(3, { userId: 7, offSince: now + 1 }, now + 5);
    expect(await own()).toEqual([{ userId: 7, offSince: now }]);
    await duty.end(3, { userId: 7, offSince: now }, now + 5);
    expect(await own()).toEqual([{ userId: 7, offSince: now + 5 }]);
  });

  test('a user who never went on duty can still end a roster shift', async () => {
    const { duty } = await put();
    await duty.end(3, { userId: 7 }, now);
    expect((await duty.get(3)).own).toEqual([{ userId: 7, offSince: now }]);
  });

  test('duty follows the roster, which can be set only for an existing customer', async () => {
    const { duty } = await put();
    const entries = [some({ userId: 7, days: ['mon'] })];
    expect([await duty.roster(3), await duty.setRoster(3, entries), await duty.setRoster(4, entries)]).toEqual([
      [],
      true,
      false,
    ]);
    expect([await duty.roster(3), await duty.roster(4)]).toEqual([entries, []]);
    expect(await duty.get(3)).toEqual({ own: [], roster: entries });
  });
});

describe('duty checks', () => {
  const check = { customerId: 3, at: now, missing: [], isMailed: false };
  test('a duty check can be replaced by only one process at a time', async () => {
    const { dutyChecks } = memoryStore().its;
    const first = await dutyChecks.put(check, null);
    expect(first).toEqual({ ...check, revision: 1 });
    expect(await dutyChecks.put(check, null)).toBeNull();
    const second = await dutyChecks.put({ ...check, isMailed: true }, first);
    expect(second).toEqual({ ...check, isMailed: true, revision: 2 });
    expect(await dutyChecks.put(check, first)).toBeNull();
    expect([await dutyChecks.get(3), await dutyChecks.list()]).toEqual([second, [second]]);
    expect(await dutyChecks.get(4)).toBeNull();
    await dutyChecks.remove({ ...check, revision: 2 });
    expect(await dutyChecks.list()).toEqual([]);
  });
});

test('only the latest canary test fall counts as returned, and only once', async () => {
  const { canary } = memoryStore().its;
  expect([await canary.round(), await canary.completeRound('u1', now)]).toEqual([null, false]);
  expect(await canary.startRound('u1', now)).toBeNull();
  expect(await canary.completeRound('u2', now + 1)).toBe(false);
  expect([await canary.completeRound('u1', now + 1), await canary.completeRound('u1', now + 2)]).toEqual([true, false]);
  expect(await canary.startRound('u2', now + 3)).toMatchObject({ uuid: 'u1', begun: now, back: now + 1 });
  const round = await canary.round();
  expect(round).toMatchObject({ uuid: 'u2', begun: now + 3, lastBack: now + 1 });
  expect(round).not.toHaveProperty('back');
  await canary.recordMail(now + 4);
  expect(await canary.round()).toMatchObject({ uuid: 'u2', mailed: now + 4 });
});

test('the first canary test fall has no predecessor, even after an email', async () => {
  const { canary } = memoryStore().its;
  await canary.recordMail(now);
  expect(await canary.startRound('u1', now)).toBeNull();
});

test('the canary test fall comes from a device marked as the canary', async () => {
  const { its, table } = memoryStore();
  const setup = { customerId: 3, sensorId: 'id_a', deviceToken: 't', url: 'u' };
  expect(await its.canary.setup()).toBeNull();
  await its.canary.storeSetup(setup, 'h');
  expect(await its.canary.setup()).toMatchObject(setup);
  expect(await table.get(items.device({ hash: 'h' }))).toMatchObject({ isCanary: true });
});

test('alarm subscribers are those found by the last check', async () => {
  const { alarmSubscribers } = memoryStore().its;
  expect(await alarmSubscribers.get()).toBeNull();
  await alarmSubscribers.put({ known: ['a'], reported: now });
  await alarmSubscribers.put({ known: ['b'], reported: now + 1 });
  expect(await alarmSubscribers.get()).toMatchObject({ known: ['b'], reported: now + 1 });
});
