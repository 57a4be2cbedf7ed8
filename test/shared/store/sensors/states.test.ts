import { describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { now, some } from '#test/fixtures/store-items.ts';
import { createSensors, HOME, OTHER_HOME, stateWith } from '#test/fixtures/store-sensors.ts';

const key = { customerId: HOME, sensorId: 'id_a' };
const linked = async () => {
  const world = await createSensors();
  await world.move(0, 'id_a', HOME);
  return { ...world, states: world.its.states };
};

test('each version of a sensor state can be replaced only once', async () => {
  const { states } = await linked();
  expect(await states.get(HOME, 'id_a')).toBeNull();
  expect([await states.decide(key, 0, stateWith()), await states.decide(key, 0, stateWith())]).toEqual([true, false]);
  expect([await states.decide(key, 1, stateWith({ lastSeen: 5 })), await states.decide(key, 1, stateWith())]).toEqual([
    true,
    false,
  ]);
  expect(await states.get(HOME, 'id_a')).toMatchObject({ version: 2, lastSeen: 5 });
});

test('a deleted sensor does not get a new state', async () => {
  const { states } = await linked();
  expect(await states.decide({ ...key, sensorId: 'id_b' }, 0, stateWith())).toBe(false);
  expect(await states.decide({ ...key, customerId: OTHER_HOME }, 0, stateWith())).toBe(false);
  expect(await states.get(HOME, 'id_b')).toBeNull();
});

test("a former sensor's state expires and is not listed", async () => {
  const { states, table } = await linked();
  const former = { ...key, sensorId: 'id_b' };
  const fall = stateWith({ falls: [some({ start: now, phases: ['confirmed'], at: now })] });
  expect(await states.decide(former, 0, fall, { formerUntil: 99 })).toBe(false);
  await table.write({ put: { ...items.formerSensor(former) } });
  expect(await states.decide(former, 0, fall, { formerUntil: 99 })).toBe(true);
  const stored = await states.get(HOME, 'id_b');
  expect(stored).toMatchObject({ ttl: 99 });
  expect(stored).not.toHaveProperty('listPk');
});

test('a sensor state is in the open falls list while the sensor has an open fall', async () => {
  const { states, table } = await linked();
  const rows = () => table.queryAll({ index: 'list', pk: `C#${HOME}#FALLS` });
  const fall = stateWith({ falls: [some({ start: now, phases: ['confirmed'], at: now })] });
  await states.decide(key, 0, fall);
  expect(await rows()).toHaveLength(1);
  await states.decide(key, 1, { ...fall, listPk: 'x', listSk: 'y' });
  expect(await rows()).toHaveLength(1);
  await states.decide(key, 2, stateWith({ listPk: 'x', listSk: 'y' }));
  expect([await rows(), await states.get(HOME, 'id_a')]).toEqual([[], expect.not.objectContaining({ listPk: 'x' })]);
});

test('a sensor state is checked on schedule, unless it has changed since', async () => {
  const { states } = await linked();
  const due = async () => Number((await states.get(HOME, 'id_a'))?.dueAt);
  await states.decide(key, 0, stateWith(), { checkAt: now + 5 });
  expect(await due()).toBe(now + 5);
  await states.scheduleCheck(HOME, 'id_a', stateWith({ version: 2 }), now + 9);
  expect(await due()).toBe(now + 5);
  await states.scheduleCheck(HOME, 'id_a', stateWith({ version: 1 }), now + 9);
  expect(await due()).toBe(now + 9);
  await states.scheduleCheck(HOME, 'id_a', stateWith({ version: 0 }), null);
  expect(await due()).toBe(now + 9);
  await states.scheduleCheck(HOME, 'id_a', stateWith({ version: 1 }), null);
  expect(await states.get(HOME, 'id_a')).not.toHaveProperty('duePk');
  expect(await states.get(HOME, 'id_a')).not.toHaveProperty('dueAt');
});

test('report times are stored only if the sensor state has not changed in the meantime', async () => {
  const { states } = await linked();
  await states.decide(key, 0, stateWith());
  const times = some({ lastSeen: now + 1, presenceAt: now + 2, regionsAt: now + 3 });
  expect([await states.recordTimes(HOME, 'id_a', 1, times), await states.recordTimes(HOME, 'id_a', 1, times)]).toEqual([
    true,
    false,
  ]);
  expect(await states.get(HOME, 'id_a')).toMatchObject({
    version: 2,
    lastSeen: now + 1,
    presenceAt: now + 2,
    regionsAt: now + 3,
  });
  expect(await states.recordTimes(HOME, 'id_b', 0, times)).toBe(false);
});

test('several sensor states are returned in the requested order', async () => {
  const { states, register, move } = await linked();
  await register('id_b', 't2');
  await move(0, 'id_b', HOME);
  for (const sensorId of ['id_a', 'id_b']) await states.decide({ ...key, sensorId }, 0, stateWith({ at: sensorId }));
  const sensors = ['id_b', 'id_c', 'id_a'].map((sensorId) => ({ ...key, sensorId }));
  expect(await states.glance(sensors)).toMatchObject([{ at: 'id_b' }, null, { at: 'id_a' }]);
});

describe('sensor groups', () => {
  const group = (fields: object = {}) => ({
    id: 20,
    customerId: HOME,
    name: 'g',
    sensorIds: ['id_a'],
    createDate: now,
    updateDate: now,
    ...fields,
  });
  const count = async ({ its }: Awaited<ReturnType<typeof linked>>) => (await its.customers.get(HOME))?.sensorGroups;
  const withSensors = async (total: number) => {
    const world = await linked();
    const ids = Array.from({ length: total }, (_, n) => `id_${String(n).padStart(3, '0')}`);
    for (const id of ids) {
      await world.register(id, `token ${id}`, { hardwareId: id });
      await world.move(0, id, HOME);
    }
    return { ...world, groups: world.its.sensorGroups, ids };
  };
  test('a sensor can be in only one group', async () => {
    const world = await withSensors(2);
    const { groups, its, ids } = world;
    expect(await groups.create(group({ sensorIds: ids }), 10)).toBe('done');
    expect(await groups.get(HOME, 20)).toEqual(group({ sensorIds: ids }));
    expect(await groups.create(group({ id: 21, sensorIds: [ids[1]] }), 10)).toBe('done');
    expect((await groups.list(HOME)).map(({ id, sensorIds }) => [id, sensorIds])).toEqual([
      [20, [ids[0]]],
      [21, [ids[1]]],
    ]);
    expect([(await its.sensors.get(HOME, ids[1] ?? ''))?.groupId, await count(world)]).toEqual([21, 2]);
    expect(await its.customers.ownerOf('sensor_group', 20)).toBe(HOME);
    expect([await groups.get(OTHER_HOME, 20), await groups.list(OTHER_HOME)]).toEqual([null, []]);
  });

  test('a group is rejected with an unknown sensor, above the quota, or for an unknown customer', async () => {
    const world = await withSensors(1);
    const { groups } = world;
    expect(await groups.create(group({ sensorIds: ['id_x'] }), 10)).toEqual({ unknown: 'id_x' });
    expect(await groups.create(group({ customerId: OTHER_HOME }), 10)).toEqual({ unknown: 'id_a' });
    expect(await groups.create(group(), 0)).toBe('limit_reached');
    expect(await groups.create(group({ customerId: 99, sensorIds: [] }), 10)).toBe('customer_unknown');
    expect([await groups.list(HOME), await count(world)]).toEqual([[], 0]);
    expect(await groups.put(group())).toBe('gone');
  });

  test('the name and sensors of a group can be changed', async () => {
    const { groups, its, ids } = await withSensors(2);
    await groups.create(group({ sensorIds: ['id_a', ids[0]] }), 10);
    expect(await groups.put(group({ name: 'new', updateDate: now + 1, sensorIds: [ids[1], ids[0]] }))).toBe('done');
    expect(await groups.get(HOME, 20)).toEqual(group({ name: 'new', updateDate: now + 1, sensorIds: ids }));
    expect((await its.sensors.get(HOME, 'id_a'))?.groupId).toBe(0);
    expect(await groups.put(group({ sensorIds: ['id_x'] }))).toEqual({ unknown: 'id_x' });
    expect((await groups.get(HOME, 20))?.sensorIds).toEqual(ids);
  });

  test('a group too large for one transaction is saved and deleted in steps', async () => {
    const world = await withSensors(61);
    const { groups, ids, its } = world;
    expect(await groups.create(group({ sensorIds: ids }), 10)).toBe('done');
    expect((await groups.get(HOME, 20))?.sensorIds).toEqual(ids);
    expect([await groups.remove(HOME, 20), await groups.remove(HOME, 20)]).toEqual(['done', 'gone']);
    expect([await groups.get(HOME, 20), await count(world), await its.customers.ownerOf('sensor_group', 20)]).toEqual([
      null,
      0,
      null,
    ]);
    const inGroup = (await its.sensors.getAll(HOME, ids)).filter(({ groupId }) => groupId !== 0);
    expect(inGroup).toEqual([]);
  });

  test('a group can be saved even if a sensor changes concurrently', async () => {
    const { groups, once, ids } = await withSensors(2);
    await groups.create(group(), 10);
    once('TransactWriteCommand', () => groups.put(group({ name: 'other', sensorIds: [ids[0]] })));
    expect(await groups.put(group({ name: 'mine', sensorIds: [ids[1]] }))).toBe('done');
    expect(await groups.get(HOME, 20)).toMatchObject({ name: 'mine', sensorIds: [ids[1]] });
  });

  test('a group cannot be deleted while a rule refers to it', async () => {
    const { groups, its } = await withSensors(0);
    await groups.create(group(), 10);
    const rule = {
      id: 40,
      customerId: HOME,
      sensorId: null,
      sensorGroupId: 20,
      situation: 'fall_detected',
      recipients: [],
      escalation: [],
      isEnabled: true,
      updateDate: now,
    };
    expect(await its.rules.create(some(rule), { rules: 10, rulesOfOneSituation: 10 })).toBe('done');
    expect(await groups.remove(HOME, 20)).toBe('in_use');
    expect(await groups.get(HOME, 20)).toEqual(group());
    await its.rules.remove(some(rule));
    expect(await groups.remove(HOME, 20)).toBe('done');
  });
});
