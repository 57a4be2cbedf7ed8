import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSensor } from '#shared/domain/sensor/sensor.ts';
import { newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { changes } from '#shared/store/engine/request.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { type Store, store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

// Races too rare to happen by chance. The other call comes right after the read that a change is based on.

const customerId = 7;
const sensorId = 'id_000000001';
const now = 1_800_000_000_000;
/** A partial object with the fields read by the store. */
const some = (fields: object) => fields as never;
const stamps = { createDate: now, updateDate: now };

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
  await its.customers.create({ id: customerId, name: 'n', location: '', email: '', timeZone: 'UTC', ...stamps });
  await its.bots.create(some({ id: 1, customerId }), 10);
  await its.webhooks.create(some({ id: 'w', customerId, botId: 1, format: 'full' }), 10);
});
afterAll(() => engine.stop());

const putSensor = async () => {
  const made = newSensor({ id: sensorId, hardwareId: '0123456789AB', manufacturer: 'maker_b', firmwareVersion: 1 }, 1);
  await engine.plain.write({ put: newSensorItem({ ...made, customerId }) });
};

/** A store in which `act` interferes once, after the first read matching `matches`. */
const interrupted = (matches: (pk: string, sk: string) => boolean, act: () => Promise<unknown>): Store => {
  let isPending = true;
  const after = async <T>(pk: string, sk: string, response: T): Promise<T> => {
    if (isPending && matches(pk, sk)) {
      isPending = false;
      await act();
    }
    return response;
  };
  const { plain } = engine;
  const table: Table = {
    ...plain,
    get: async (key) => after(key.pk, key.sk, await plain.get<never>(key)),
    query: async (query) => after(query.pk, query.beginsWith ?? '', await plain.query<never>(query)),
    queryAll: async (query) => after(query.pk, query.beginsWith ?? '', await plain.queryAll<never>(query)),
  };
  return store(table);
};

test('a group is kept if a rule for it is created just before deletion', async () => {
  const group = { id: 3, customerId, name: 'n', sensorIds: [], ...stamps };
  await its.sensorGroups.create(group, 10);
  const receivers = { recipients: [{ botId: 1, webhookId: 'w' }], escalation: [] };
  const rule = some({ id: 4, customerId, sensorId: null, sensorGroupId: 3, situation: 'apnea', ...receivers });
  const other = interrupted(
    (_, sk) => sk.startsWith('GROUP#'),
    () => its.rules.create(rule, { rules: 10, rulesOfOneSituation: 10 }),
  );
  expect(await other.sensorGroups.remove(customerId, 3)).toBe('in_use');
  expect(await its.sensorGroups.get(customerId, 3)).toEqual(group);
});

test('a group is kept for a webhook created just before deletion, but not after', async () => {
  const group = { id: 5, customerId, name: 'n', sensorIds: [], ...stamps };
  await its.sensorGroups.create(group, 10);
  const webhook = { customerId, botId: null, isCustomerHook: true, format: 'full', sensorGroupId: 5 };
  const create = (id: string) => its.webhooks.create(some({ ...webhook, id }), 10);
  const other = interrupted(
    (_, sk) => sk.startsWith('GROUP#'),
    () => create('f'),
  );
  expect(await other.sensorGroups.remove(customerId, 5)).toBe('in_use');
  await its.webhooks.remove(some({ ...webhook, id: 'f' }), 1);
  expect(await its.sensorGroups.remove(customerId, 5)).toBe('done');
  expect(await create('g')).toBe('unknown_reference');
});

/** Creates 70 sensors, more than one transaction can move to a group. */
const manySensors = async (prefix: string): Promise<string[]> => {
  const ids = Array.from({ length: 70 }, (_, at) => `${prefix}${String(at).padStart(9, '0')}`);
  const puts = ids.map((id) => {
    const made = newSensor({ id, hardwareId: '0123456789AB', manufacturer: 'maker_b', firmwareVersion: 1 }, 1);
    return { put: newSensorItem({ ...made, customerId }) };
  });
  await engine.plain.write(...puts);
  return ids;
};

/** A group of these sensors, and a store in which `act` interferes after the first transaction. */
const largeGroup = async (id: number, prefix: string, act: () => Promise<unknown>) => {
  const ids = await manySensors(prefix);
  let isFirst = true;
  const write: Table['write'] = async (...writes) => {
    const answer = await engine.plain.write(...writes);
    if (isFirst && writes.length > 30) {
      isFirst = false;
      await act();
    }
    return answer;
  };
  return { group: { id, customerId, name: 'n', sensorIds: ids, ...stamps }, other: store({ ...engine.plain, write }) };
};

test('a rule for a large group is rejected once deletion has removed the first sensors', async () => {
  const receivers = { recipients: [{ botId: 1, webhookId: 'w' }], escalation: [] };
  const rule = some({ id: 14, customerId, sensorId: null, sensorGroupId: 13, situation: 'apnea', ...receivers });
  let result: unknown;
  const { group, other } = await largeGroup(13, 'ix_', async () => {
    result = await its.rules.create(rule, { rules: 10, rulesOfOneSituation: 10 });
  });
  await its.sensorGroups.create(group, 10);
  expect(await other.sensorGroups.remove(customerId, 13)).toBe('done');
  expect(result).toBe('unknown_reference');
  expect(await its.rules.get(customerId, 14)).toBeNull();
});

test('a large group is created without a sensor that is deleted in the meantime', async () => {
  const deleted = 'iy_000000069';
  const { group, other } = await largeGroup(15, 'iy_', () =>
    engine.plain.write({ remove: items.sensor({ customerId, sensorId: deleted }) }),
  );
  expect(await other.sensorGroups.create(group, 10)).toBe('done');
  expect((await its.sensorGroups.get(customerId, 15))?.sensorIds).toEqual(group.sensorIds.slice(0, -1));
});

test('repeating a request that moved only some sensors completes the group', async () => {
  const ids = await manySensors('id_');
  const group = { id: 6, customerId, name: 'n', sensorIds: [], ...stamps };
  await its.sensorGroups.create(group, 10);
  let left = 1;
  const write: Table['write'] = async (...writes) => {
    if (left-- > 0) return engine.plain.write(...writes);
    throw new Error('power cut');
  };
  const dying = store({ ...engine.plain, write });
  await expect(dying.sensorGroups.put({ ...group, sensorIds: ids })).rejects.toThrow('power cut');
  const half = await its.sensorGroups.get(customerId, 6);
  expect(half?.sensorIds).toHaveLength(30);
  for (const id of half?.sensorIds ?? []) expect(await its.sensors.get(customerId, id)).toMatchObject({ groupId: 6 });
  expect(await its.sensorGroups.put({ ...group, sensorIds: ids })).toBe('done');
  expect((await its.sensorGroups.get(customerId, 6))?.sensorIds).toEqual(ids);
});

test('feedback given while the newest feedback is being deleted is shown', async () => {
  await putSensor();
  const hit = { ruleId: 4, sensorEventId: 'e', sensorId, messages: [], hitNumber: { series: 1, number: 1 } };
  await its.ruleHits.append(customerId, { id: 4, createDate: 0 }, some(hit), now);
  const feedback = (id: number) => some({ id, sensorId, ruleHitId: 5, ...stamps });
  await its.feedback.create(customerId, feedback(20));
  // This feedback has an older id: it was generated earlier but written later.
  const other = interrupted(
    (pk) => pk.includes('#H#'),
    () => its.feedback.create(customerId, feedback(10)),
  );
  expect(await other.feedback.remove(customerId, sensorId, 20, now)).toBe(true);
  expect((await its.ruleHits.get(customerId, 5))?.feedback).toMatchObject({ id: 10 });
});

test('two sensors with the same event UUID and rule get separate hits', async () => {
  const hitOf = (id: string) => some({ ruleId: 8, sensorEventId: 'same', sensorId: id, messages: [] });
  const after = await its.ruleHits.lastPlace(customerId);
  const made = [];
  for (const id of ['id_a', 'id_b', 'id_a']) made.push(await its.ruleHits.append(customerId, after, hitOf(id), now));
  expect(made.map(({ id, isNew }) => [id - after.id, isNew])).toEqual([
    [1, true],
    [2, true],
    [1, false],
  ]);
});

test('the last remaining process ignores only slot leases from before the others ended', async () => {
  const until = now + 30_000;
  const slots = Object.fromEntries([0, 1, 2, 3, 4].map((at) => [`slot${at}`, until]));
  await engine.plain.update(items.webhook({ customerId, webhookId: 'w' }), changes({ set: slots }));
  const webhook = some((await its.webhooks.get(customerId, 'w')) ?? {});
  const take = (aloneSince: number) =>
    its.health.takeSlot(webhook, now, {
      slots: 5,
      first: 0,
      isProbe: false,
      token: 'token',
      aloneSince,
    });
  expect([await take(0), await take(now - 1)]).toEqual([null, null]);
  expect(await take(now + 1)).toMatchObject({ slot: 'slot0' });
});

describe('deleting a sensor', () => {
  const state = { ...newSensorState, decision: null, isActive: true };
  test('deleting a sensor fails if its first message activates it concurrently', async () => {
    await putSensor();
    const other = interrupted(
      (_, sk) => sk === 'STATE',
      () => its.states.decide({ customerId, sensorId }, 0, { ...state, version: 1 }),
    );
    expect(await other.sensorOwners.remove(customerId, sensorId, now)).toBe('active');
    expect(await its.sensors.get(customerId, sensorId)).not.toBeNull();
    await its.states.decide({ customerId, sensorId }, 1, { ...state, isActive: false, version: 2 });
  });

  test('deleting a sensor also removes a room that is set concurrently', async () => {
    await putSensor();
    const other = interrupted(
      (_, sk) => sk === 'CONFIG#',
      async () => {
        const sensor = await its.sensors.get(customerId, sensorId);
        return sensor && its.rooms.put(sensor, some({ xMin: 20, regions: [] }), []);
      },
    );
    expect(await other.sensorOwners.remove(customerId, sensorId, now)).toBe('done');
    expect(await its.rooms.get(customerId, sensorId)).toBeNull();
  });

  test('deleting a sensor leaves an expiring state that only older messages can replace', async () => {
    expect(await its.sensors.get(customerId, sensorId)).toBeNull();
    const former = await its.sensors.former(customerId, sensorId);
    const { ttl = 0 } = former ?? {};
    expect(ttl).toBeGreaterThan(now / 1_000 + 14 * 86_400);
    const before = await its.states.get(customerId, sensorId);
    expect(before).toMatchObject({ version: 3, ttl });
    expect(before).not.toHaveProperty('duePk');
    await engine.plain.write({ remove: items.sensorState({ customerId, sensorId }) });
    const decide = (until?: number) =>
      its.states.decide({ customerId, sensorId }, 0, { ...state, version: 1 }, { formerUntil: until ?? null });
    expect(await decide()).toBe(false);
    expect(await decide(ttl)).toBe(true);
    expect(await its.states.get(customerId, sensorId)).toMatchObject({ version: 1, ttl });
  });
});

test('an attempt recognizes its claim on a retry after a lost response, but no other claim', async () => {
  const key = { customerId, webhookId: 'w', id: '01m7yng2ntjft8g22k173z7r2g' };
  const pending = {
    createDate: now,
    nextAttempt: now,
    state: 'pending',
    attempts: 0,
    sendTryTimes: [],
    snapshot: bareSnapshot,
  };
  await its.deliveries.create(some({ ...key, ...pending }), true);
  const update: Table['update'] = async (...args) => {
    await engine.plain.update(...args);
    return engine.plain.update(...args);
  };
  const lossy = store({ ...engine.plain, update });
  expect(await lossy.attempts.claim(key, now, 'claim-25')).toMatchObject({ attempts: 1, sendTryTimes: [now] });
  for (const other of ['', 'claim-5']) expect(await its.attempts.claim(key, now, other)).toBeNull();
});
