import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.sentMessages.length = 0;
});

test('notifies everyone on duty only once and counts hits with no one on duty', async () => {
  const { hire, rule, fall, hits, sent, onDuty } = await world.furnish();
  const anna = await hire('Anna', { email: 'anna@example.com' });
  const ben = await hire('Ben', { email: 'ben@example.com' });
  const cem = await hire('Cem', { email: 'cem@example.com' });
  await rule([
    { onDuty: true, by: 'email' },
    { userId: anna.id, by: 'email' },
  ]);
  await fall();
  expect((await hits())[0]).toMatchObject({ nobodyOnDuty: true, ruleMessages: [{ accountId: anna.id }] });
  expect(world.valuesOf('NobodyOnDuty')).toEqual([1]);
  await onDuty(cem.id, world.now() - 1);
  await onDuty(anna.id);
  await onDuty(ben.id);
  await fall();
  const [hit] = await hits();
  expect(hit?.nobodyOnDuty).toBe(false);
  expect(hit?.ruleMessages.map(({ accountId }) => accountId).toSorted()).toEqual([anna.id, ben.id].toSorted());
  expect(world.sentMessages.map(({ to }) => to).toSorted()).toEqual([
    'anna@example.com',
    'anna@example.com',
    'ben@example.com',
  ]);
  expect(await sent()).toHaveLength(3);
  expect(world.valuesOf('NobodyOnDuty')).toEqual([1]);
});

test('a user without a verified channel for the rule does not count as on duty', async () => {
  const { hire, rule, fall, hits, sent, onDuty, customerId } = await world.furnish();
  const ben = await hire('Ben', { email: 'ben@example.com' });
  const unproven = { by: 'telegram', address: '4712', provenDate: null } as const;
  await store(world.table).channels.put({ customerId, userId: ben.id }, unproven, null);
  await rule([{ onDuty: true, by: 'telegram' }]);
  await onDuty(ben.id);
  await fall();
  expect(await sent()).toEqual([]);
  expect((await hits())[0]).toMatchObject({ nobodyOnDuty: true, allSend: false, ruleMessages: [] });
  await rule([{ onDuty: true, by: 'email' }], { name: 'by mail', rateLimitSeconds: 0 });
  await fall();
  expect((await hits()).map(({ nobodyOnDuty }) => nobodyOnDuty).toSorted()).toEqual([false, true, true]);
  expect(world.sentMessages.map(({ to }) => to)).toEqual(['ben@example.com']);
});

test('a rule with a deleted user still notifies the other recipients', async () => {
  const { hire, rule, fall, hits, sent, client } = await world.furnish();
  const anna = await hire('Anna', { email: 'anna@example.com' });
  const ben = await hire('Ben', { email: 'ben@example.com' });
  await rule([
    { userId: anna.id, by: 'email' },
    { userId: ben.id, by: 'email' },
  ]);
  await client.ok('DELETE', `/users/${anna.id}`);
  await fall();
  const byUser = new Map((await sent()).map((delivery) => [delivery.userId, delivery]));
  expect(byUser.get(anna.id)).toMatchObject({ state: 'failed', reason: 'not_reachable', userName: '' });
  expect(byUser.get(ben.id)).toMatchObject({ state: 'delivered' });
  expect((await hits())[0]).toMatchObject({ allSend: false });
  expect(world.valuesOf('AlarmsFailed').length).toBeGreaterThan(0);
});

test('a system admin without a customer can be notified', async () => {
  const { rule, fall, sent, admin } = await world.furnish();
  const user = { username: 'on-call', password: 'a-long-password', firstName: 'On', lastName: 'Call', email: '' };
  const { id } = await admin.ok<{ id: number }>('POST', '/users', { ...user, customerId: null });
  const access = (isAdmin: boolean) =>
    admin.ok('PUT', `/users/${id}/access`, { canLogin: true, permissions: [], isAdmin });
  await access(true);
  await world.proveOf(null, id, 'email', 'call@example.com');
  await rule([{ userId: id, by: 'email' }]);
  await fall();
  expect(world.sentMessages).toMatchObject([{ to: 'call@example.com' }]);
  await access(false);
  await fall();
  expect(world.sentMessages).toHaveLength(1);
  expect((await sent())[0]).toMatchObject({ state: 'failed', reason: 'not_reachable' });
});
