import { describe, expect, test } from 'vitest';
import type { Situation } from '#shared/domain/event/event.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { createHooks, HOME, HOOK, webhookOf } from '#test/fixtures/store-deliveries.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const quotas = { rules: 10, rulesOfOneSituation: 10 };
const ruleOf = (id: number, fields: object = {}): Rule =>
  some({
    id,
    customerId: HOME,
    name: `rule ${id}`,
    sensorId: null,
    sensorGroupId: null,
    regionId: null,
    situation: 'fall_detected',
    recipients: [{ botId: 1, webhookId: 'b' }],
    escalation: [],
    repeatSeconds: null,
    untilAcknowledged: true,
    isEnabled: true,
    createDate: now,
    updateDate: now,
    ...fields,
  });
const later = (rule: Rule, fields: object = {}): Rule => ({ ...rule, updateDate: rule.updateDate + 1, ...fields });

const createWorld = async () => {
  const world = await createHooks();
  const { its, table } = world;
  await its.webhooks.create(webhookOf({ id: 'b', botId: 1, isCustomerHook: false }), 10);
  const create = (rule: Rule, limits = quotas) => its.rules.create(rule, limits);
  const enabled = async () =>
    (await table.queryAll<{ enabled: number }>({ pk: `C#${HOME}`, beginsWith: 'ENABLED#' })).map(({ sk, enabled }) => [
      sk.slice(8),
      enabled,
    ]);
  const count = async () => (await its.customers.get(HOME))?.rules;
  return { ...world, rules: its.rules, create, enabled, count };
};
const withSensor = async () => {
  const world = await createWorld();
  const sensor = {
    id: 'id_a',
    manufacturer: 'maker_a',
    hardwareId: '0000000000AA',
    customerId: null,
    groupId: 0,
    name: '',
    firmwareVersion: 1,
    createDate: now,
    updateDate: now,
  };
  await world.its.provisioning.put('h', some({ id: 'key', maxDevices: null, expires: null }));
  await world.its.devices.register(some(sensor), 't', { hash: 'c', expires: now }, { id: 'key', maxDevices: null });
  await world.its.sensorOwners.move(0, 'id_a', { to: HOME, most: 9, now });
  const read = async () => (await world.its.sensors.get(HOME, 'id_a')) ?? expect.unreachable();
  const setRegions = async (...ids: string[]) => {
    const polygon = [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 1, y: 1 },
    ];
    const regions = ids.map((id, positionIdx) => ({ id, name: id, positionIdx, polygon }));
    const room = some({ width: 1, depth: 1, height: 1, regions });
    await world.table.write({ put: { ...(room as object), pk: `C#${HOME}#S#id_a`, sk: 'ROOM' } });
  };
  return { ...world, read, setRegions };
};

test('a rule can be found by id, in lists, and by situation', async () => {
  const { rules, create, count, its, enabled } = await createWorld();
  expect(await create(ruleOf(40))).toBe('done');
  expect(await rules.get(HOME, 40)).toMatchObject(ruleOf(40));
  expect([await rules.list(HOME), await rules.list(HOME, false), await rules.getAll(HOME, [40, 41])]).toMatchObject(
    Array(3).fill([ruleOf(40)]),
  );
  expect(await rules.sortFields(HOME)).toMatchObject([{ id: 40, name: 'rule 40', createDate: now, updateDate: now }]);
  expect([await count(), await enabled(), await its.customers.ownerOf('rule', 40)]).toEqual([
    1,
    [['ALL#fall_detected', 1]],
    HOME,
  ]);
  expect([await rules.get(HOME + 1, 40), await rules.list(HOME + 1), await rules.sortFields(HOME + 1)]).toEqual([
    null,
    [],
    [],
  ]);
});

test('a rule keeps its escalation', async () => {
  const { rules, create } = await createWorld();
  const escalation = [{ afterSeconds: 60, recipients: [{ botId: 1, webhookId: 'b' }] }];
  await create(ruleOf(40, { escalation, repeatSeconds: 60, untilAcknowledged: false }));
  expect(await rules.get(HOME, 40)).toMatchObject({ escalation, repeatSeconds: 60, untilAcknowledged: false });
  const [read] = await rules.forSituation(HOME, { id: 'id_a', groupId: 0 }, 'fall_detected');
  expect(read).toMatchObject({ escalation, repeatSeconds: 60, untilAcknowledged: false });
});

test('a rule is rejected above the limit for all rules or for enabled rules per situation', async () => {
  const { create, count } = await createWorld();
  await create(ruleOf(40));
  expect(await create(ruleOf(41), { ...quotas, rules: 1 })).toBe('rules');
  expect(await create(ruleOf(41), { ...quotas, rulesOfOneSituation: 1 })).toBe('rulesOfOneSituation');
  expect(await create(ruleOf(41, { isEnabled: false }), { ...quotas, rulesOfOneSituation: 1 })).toBe('done');
  expect(await create(ruleOf(42, { situation: 'fall_loop' }), { ...quotas, rulesOfOneSituation: 1 })).toBe('done');
  expect(await count()).toBe(3);
});

test('rules created at the same time never exceed the limit for one situation', async () => {
  const { create, enabled } = await createWorld();
  const results = await Promise.all(
    [1, 2, 3, 4].map((id) => create(ruleOf(id), { ...quotas, rulesOfOneSituation: 2 })),
  );
  expect(results.filter((result) => result === 'done')).toHaveLength(2);
  expect(await enabled()).toEqual([['ALL#fall_detected', 2]]);
});

test.each([
  ['the sensor', { sensorId: 'id_x' }],
  ['the region', { sensorId: 'id_x', regionId: 'r' }],
  ['the group', { sensorGroupId: 20 }],
  ['the bot', { recipients: [{ botId: 2, webhookId: 'b' }] }],
  ['the webhook', { recipients: [{ botId: 1, webhookId: 'x' }] }],
  ['the webhook under that bot', { recipients: [{ botId: 1, webhookId: HOOK }] }],
  ['the webhook in a later round', { escalation: [{ afterSeconds: 60, recipients: [{ botId: 1, webhookId: 'x' }] }] }],
  ['the customer', { customerId: 99 }],
])('a rule is rejected if %s does not exist', async (_, fields) => {
  const { create, rules, count } = await createWorld();
  expect(await create(ruleOf(40, fields))).toBe('unknown_reference');
  expect([await rules.get(HOME, 40), await count()]).toEqual([null, 0]);
});

test('a rule never replaces another with the same id', async () => {
  const { create, rules } = await createWorld();
  await create(ruleOf(40));
  expect(await create(ruleOf(40, { name: 'other' }))).toBe('unknown_reference');
  expect(await rules.get(HOME, 40)).toMatchObject({ name: 'rule 40' });
});

test('replacing a rule moves it and its counts to the new scope and situation', async () => {
  const { rules, create, enabled } = await withSensor();
  const before = ruleOf(40);
  await create(before);
  const after = later(before, { sensorId: 'id_a', situation: 'fall_loop', name: 'new' });
  expect(await rules.replace(before, after, 10)).toBe('done');
  expect([await rules.get(HOME, 40), (await rules.list(HOME))[0], (await rules.sortFields(HOME))[0]]).toMatchObject([
    after,
    after,
    { name: 'new', updateDate: now + 1 },
  ]);
  expect(await enabled()).toEqual([['S:id_a#fall_loop', 1]]);
  const at = (situation: Situation) => rules.forSituation(HOME, { id: 'id_a', groupId: 0 }, situation);
  expect([await at('fall_detected'), (await at('fall_loop')).length]).toEqual([[], 1]);
});

test('replacing a rule is rejected if it was changed or deleted concurrently', async () => {
  const { rules, create } = await createWorld();
  const before = ruleOf(40);
  expect(await rules.replace(before, later(before), 10)).toBe('changed');
  await create(before);
  const after = later(before, { name: 'new' });
  expect([
    await rules.replace(before, after, 10),
    await rules.replace(before, later(before, { name: 'lost' }), 10),
  ]).toEqual(['done', 'changed']);
  expect(await rules.get(HOME, 40)).toMatchObject({ name: 'new' });
  expect([
    await rules.setRecipients(before, later(before, { name: 'lost' })),
    await rules.setRecipients(after, later(after, { recipients: [] })),
  ]).toEqual([false, true]);
  expect(await rules.get(HOME, 40)).toMatchObject({ name: 'new', recipients: [], updateDate: now + 2 });
  const [read] = await rules.forSituation(HOME, { id: 'id_a', groupId: 0 }, 'fall_detected');
  expect(read).toMatchObject({ recipients: [] });
});

test('replacing a rule is rejected for a deleted customer or a missing reference', async () => {
  const { rules, create, table } = await createWorld();
  const before = ruleOf(40);
  await create(before);
  const replace = (fields: object) => rules.replace(before, later(before, fields), 10);
  expect(await replace({ sensorId: 'id_x' })).toBe('unknown_reference');
  expect(await replace({ sensorId: 'id_x', regionId: 'r' })).toBe('unknown_reference');
  expect(await replace({ recipients: [{ botId: 9, webhookId: 'b' }] })).toBe('unknown_reference');
  await table.write({ remove: { pk: `C#${HOME}`, sk: 'CUSTOMER' } });
  expect(await replace({ name: 'n' })).toBe('unknown_reference');
});

test('a replaced rule counts only while enabled, up to the limit', async () => {
  const { rules, create, enabled } = await createWorld();
  const [first, second] = [ruleOf(40), ruleOf(41)];
  for (const rule of [first, second]) await create(rule);
  const off = later(second, { isEnabled: false });
  expect(await rules.replace(second, off, 2)).toBe('done');
  expect(await enabled()).toEqual([['ALL#fall_detected', 1]]);
  expect(await rules.replace(off, later(off, { isEnabled: true }), 1)).toBe('limit_reached');
  expect(await rules.replace(off, later(off, { isEnabled: true }), 2)).toBe('done');
  expect(await enabled()).toEqual([['ALL#fall_detected', 2]]);
  // Other changes do not need room in the quota.
  expect(await rules.replace(first, later(first, { name: 'n' }), 1)).toBe('done');
  const disabled = later(first, { name: 'n', updateDate: first.updateDate + 2, isEnabled: false });
  expect(await rules.replace(later(first, { name: 'n' }), disabled, 1)).toBe('done');
  expect(await rules.remove(disabled)).toBe(true);
  expect(await enabled()).toEqual([['ALL#fall_detected', 1]]);
});

describe('deleting a rule', () => {
  test('deleting a rule removes all copies and updates the counts only once', async () => {
    const { rules, create, enabled, count, its } = await createWorld();
    await create(ruleOf(40));
    expect(await rules.remove(later(ruleOf(40)))).toBe(false);
    expect([await rules.remove(ruleOf(40)), await rules.remove(ruleOf(40))]).toEqual([true, false]);
    expect([await rules.get(HOME, 40), await rules.list(HOME), await rules.sortFields(HOME)]).toEqual([null, [], []]);
    expect([await enabled(), await count(), await its.customers.ownerOf('rule', 40)]).toEqual([[], 0, null]);
    expect(await rules.forSituation(HOME, { id: 'id_a', groupId: 0 }, 'fall_detected')).toEqual([]);
  });

  test('deleting rules concurrently keeps the counts of other rules correct', async () => {
    const { rules, create, enabled, count } = await createWorld();
    for (const id of [1, 2, 3]) await create(ruleOf(id));
    expect(await Promise.all([1, 2].map((id) => rules.remove(ruleOf(id))))).toEqual([true, true]);
    expect([await enabled(), await count()]).toEqual([[['ALL#fall_detected', 1]], 1]);
  });
});

test("a sensor's rules for a situation include those for the sensor, its group and its customer", async () => {
  const { rules, create, its } = await withSensor();
  const group = (id: number) => ({
    id,
    customerId: HOME,
    name: 'g',
    sensorIds: [],
    createDate: now,
    updateDate: now,
  });
  for (const id of [20, 2]) await its.sensorGroups.create(group(id), 9);
  await create(ruleOf(1));
  await create(ruleOf(2, { sensorId: 'id_a' }));
  await create(ruleOf(3, { sensorGroupId: 20 }));
  await create(ruleOf(4, { sensorGroupId: 2 }));
  await create(ruleOf(5, { situation: 'fall_loop' }));
  const at = async (id: string, groupId: number) =>
    (await rules.forSituation(HOME, { id, groupId }, 'fall_detected')).map((rule) => rule.id).sort();
  expect([await at('id_a', 20), await at('id_a', 0), await at('id_b', 2), await at('id_', 0)]).toEqual([
    [1, 2, 3],
    [1, 2],
    [1, 4],
    [1],
  ]);
  expect([
    await rules.isGroupInUse(HOME, 20),
    await rules.isGroupInUse(HOME, 2),
    await rules.isGroupInUse(HOME, 200),
  ]).toEqual([true, true, false]);
  expect(await rules.isGroupInUse(HOME + 1, 20)).toBe(false);
});

test("a sensor rule can be limited only to a region in that sensor's room", async () => {
  const { rules, create, read, setRegions, once, table } = await withSensor();
  await setRegions('r1');
  const { revision } = await read();
  expect(await create(ruleOf(40, { sensorId: 'id_a', regionId: 'r2' }))).toBe('unknown_reference');
  expect(await create(ruleOf(40, { sensorId: 'id_a', regionId: 'r1' }))).toBe('done');
  expect((await read()).revision).toBe(revision + 1);
  await create(ruleOf(41, { sensorId: 'id_a' }));
  expect(await rules.ofRegions(HOME, 'id_a', ['r1', 'r9'])).toEqual([{ id: 40, name: 'rule 40' }]);
  expect([await rules.ofRegions(HOME, 'id_a', ['r2']), await rules.ofRegions(HOME, 'id_', ['r1'])]).toEqual([[], []]);
  // The region is removed between the check and the write.
  once('TransactWriteCommand', async () => {
    await setRegions();
    await table.update(
      { pk: `C#${HOME}`, sk: 'SENSOR#id_a' },
      { UpdateExpression: 'ADD revision :one', ExpressionAttributeValues: { ':one': 1 } },
    );
  });
  expect(await create(ruleOf(42, { sensorId: 'id_a', regionId: 'r1' }))).toBe('unknown_reference');
});

test('a rule is found only by its own situation, not by a situation with the same prefix', async () => {
  const { its, rules } = await createWorld();
  const put = (id: number, fields: object) => its.rules.create(ruleOf(id, { recipients: [], ...fields }), quotas);
  await put(40, {});
  await put(41, { situation: 'fall_detected_sensitive' });
  const ids = async (situation: Situation, groupId = 0) =>
    (await rules.forSituation(HOME, { id: 'id_a', groupId }, situation)).map(({ id }) => id);
  expect(await ids('fall_detected')).toEqual([40]);
  expect(await ids('fall_detected_sensitive', 5)).toEqual([41]);
  expect(await ids('fall_suspected')).toEqual([]);
});
