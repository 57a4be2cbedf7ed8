import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Store, store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';
import { concurrently } from '#test/fixtures/answers.ts';

const customerId = 7;
const stamps = { createDate: 1, updateDate: 1 };
/** A partial object with the fields read by the store. */
const some = (fields: object) => fields as never;
const hook = { id: 'w', customerId, botId: 1, format: 'full' };
const recipients = [{ botId: 1, webhookId: 'w' }];
const rule = (id: number, more: object = {}) =>
  some({
    id,
    customerId,
    sensorId: null,
    sensorGroupId: null,
    situation: 'apnea',
    recipients,
    updateDate: 1,
    escalation: [],
    isEnabled: true,
    ...more,
  });
const plenty = { rules: 100, rulesOfOneSituation: 100 };

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
  await its.customers.create({ id: customerId, name: 'n', location: '', email: '', timeZone: 'UTC', ...stamps });
  const user = { id: 5, customerId, username: 'u', permissions: [], isAdmin: false };
  await its.users.create(some(user), 'u', 'hash', 10);
  await its.bots.create(some({ id: 1, customerId }), 10);
  await its.webhooks.create(some(hook), 10);
  for (const id of [1, 2]) await its.rules.create(rule(id), plenty);
  await its.rules.create(rule(3, { isEnabled: false }), plenty);
  await its.rules.create(rule(4, { situation: 'fall_loop' }), plenty);
  await its.sensorGroups.create({ id: 1, customerId, name: 'n', sensorIds: [], ...stamps }, 10);
});
afterAll(() => engine.stop());

const countsOf = async () => {
  const customer = await its.customers.get(customerId);
  const { users, sensors, bots, webhooks, rules, sensorGroups } = { ...customer };
  return { users, sensors, bots, webhooks, rules, sensorGroups };
};
const enabled = () =>
  engine.plain.queryAll<{ enabled: number }>({ pk: `C#${customerId}`, beginsWith: 'ENABLED#', consistent: true });
const before = { users: 1, sensors: 0, bots: 1, webhooks: 1, rules: 4, sensorGroups: 1 };

test('the store enforces the limits for bots, rules and rules per situation', async () => {
  expect(await its.bots.create(some({ id: 2, customerId }), 2)).toBeNull();
  expect(await its.bots.create(some({ id: 3, customerId }), 2)).toBe('limit_reached');
  expect(await countsOf()).toEqual({ ...before, bots: 2 });
  expect((await enabled()).map(({ sk, enabled }) => [sk, enabled])).toEqual([
    ['ENABLED#ALL#apnea', 2],
    ['ENABLED#ALL#fall_loop', 1],
  ]);
  const limit = { rules: 100, rulesOfOneSituation: 2 };
  expect(await its.rules.create(rule(9), limit)).toBe('rulesOfOneSituation');
  expect(await its.rules.create(rule(9), { ...plenty, rules: 4 })).toBe('rules');
});

test('deleting the last rule for a situation deletes the count as well', async () => {
  expect(await its.bots.remove(customerId, 2)).toBe(true);
  expect(await countsOf()).toEqual(before);
  expect(await its.rules.remove(rule(4, { situation: 'fall_loop' }))).toBe(true);
  expect((await enabled()).map(({ sk }) => sk)).toEqual(['ENABLED#ALL#apnea']);
  expect(await countsOf()).toEqual({ ...before, rules: 3 });
});

test('counts stay exact while 20 bots are created and 20 removed in parallel', async () => {
  const bot = (at: number) => some({ id: 100 + at, customerId });
  await concurrently(20, (at) => its.bots.create(bot(at), 100));
  const outcomes = await concurrently<unknown>(40, (at) =>
    at % 2 === 0 ? its.bots.remove(customerId, 100 + at / 2) : its.bots.create(bot(100 + at), 100),
  );
  expect(outcomes.filter((outcome) => outcome !== true && outcome !== null)).toEqual([]);
  expect(await countsOf()).toEqual({ ...before, rules: 3, bots: 21 });
});

test('nothing can be created for a deleted customer', async () => {
  await its.users.remove(
    some({ id: 5, customerId, username: 'u', accountKey: 'u', permissions: [], isAdmin: false }),
    0,
  );
  await engine.plain.write({ remove: items.customer({ customerId }) });
  expect(await its.bots.create(some({ id: 4, customerId }), 10)).toBe('customer_unknown');
  expect(await its.webhooks.create(some({ ...hook, botId: null }), 10)).toBe('customer_unknown');
  expect(await its.rules.create(rule(8), plenty)).toBe('unknown_reference');
  expect(await its.bots.remove(customerId, 1)).toBe(true);
  for (const id of [1, 2]) expect(await its.rules.remove(rule(id))).toBe(true);
  expect([await its.customers.get(customerId), await enabled()]).toEqual([null, []]);
});
