import { describe, expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { items } from '#shared/store/table.ts';
import { now, some } from '#test/fixtures/store-items.ts';
import { createSensors, HOME, OTHER_HOME, stateWith } from '#test/fixtures/store-sensors.ts';

const DAY = 86_400_000;
const room = some({ regions: [], width: 1, depth: 1, height: 1, sensor: { x: 0, y: 0, z: 0 } });
const key = { customerId: HOME, sensorId: 'id_a', manufacturer: 'maker_a' } as const;

/** A customer's sensor with a room, a configuration, a state and a group. */
const furnished = async () => {
  const world = await createSensors();
  const { its, move } = world;
  await move(0, 'id_a', HOME);
  await its.configs.put(key, 'critical', { values: { a: 1 } }, null);
  await its.configs.put(key, 'firmware', { values: { firmwareVersion: 8 } }, null);
  await its.states.decide(key, 0, stateWith(), { checkAt: now + 5 });
  const group = { id: 20, customerId: HOME, name: 'g', sensorIds: ['id_a'], createDate: now, updateDate: now };
  expect(await its.sensorGroups.create(group, 10)).toBe('done');
  await world.table.write({ put: { ...(room as object), ...items.room(key) } });
  return world;
};

test('linking a sensor moves it to the customer and updates the counts', async () => {
  const { its, table, move, count } = await createSensors();
  expect(await move(0, 'id_a', HOME)).toMatchObject({ id: 'id_a', customerId: HOME });
  expect([await its.sensors.get(0, 'id_a'), (await its.sensors.get(HOME, 'id_a'))?.customerId]).toEqual([null, HOME]);
  const moved = { customerId: HOME, moved: { from: 0, at: now }, calls: 0, isHeldBack: false };
  expect(await its.devices.get('t1')).toMatchObject(moved);
  expect(await its.customers.ownerOf('sensor', 'id_a')).toBe(HOME);
  expect([await count(), (await its.sensors.list(HOME)).length, (await its.sensors.list(0)).length]).toEqual([
    [1, 1],
    1,
    0,
  ]);
  expect(await table.get(items.formerSensor({ customerId: 0, sensorId: 'id_a' }))).toBeNull();
});

test('linking a sensor keeps earlier settings, including the scheduled end of a learning phase', async () => {
  const { its, table, move } = await createSensors();
  const nobodys = { ...key, customerId: 0 };
  await its.configs.put(
    nobodys,
    'basic',
    { values: { learningUntil: now + 9 }, learning: { started: now + 9, canceled: null } },
    null,
  );
  await table.write({ put: { ...(room as object), ...items.room(nobodys) } });
  await its.states.decide(nobodys, 0, stateWith());
  await move(0, 'id_a', HOME);
  expect(await its.configs.get(key, 'basic')).toMatchObject({ values: { learningUntil: now + 9 } });
  expect([await its.configs.list(nobodys), await its.rooms.get(0, 'id_a')]).toEqual([[], null]);
  expect(await its.rooms.get(HOME, 'id_a')).toMatchObject({ width: 1 });
  const notices = (customerId: number) =>
    table.queryAll({ pk: items.notice.pk({ ...key, customerId }), beginsWith: 'NOTICE#' });
  expect([(await notices(0)).length, (await notices(HOME)).length]).toEqual([0, 1]);
  expect([await its.states.get(0, 'id_a'), await its.states.get(HOME, 'id_a')]).toEqual([null, null]);
});

test('linking a sensor is rejected above the quota, for an unknown customer, or if it has already moved', async () => {
  const { its, move, register, count } = await createSensors();
  await register('id_b', 't2');
  expect(await move(0, 'id_a', 99)).toBe('customer_unknown');
  expect(await move(0, 'id_a', HOME, now, { most: 0 })).toBe('limit_reached');
  expect(await move(0, 'id_c', HOME)).toBe('gone');
  await move(0, 'id_a', HOME);
  expect([await move(0, 'id_a', OTHER_HOME), await move(0, 'id_b', HOME, now, { most: 1 })]).toEqual([
    'gone',
    'limit_reached',
  ]);
  expect([await count(), await count(OTHER_HOME)]).toEqual([
    [1, 1],
    [0, 0],
  ]);
  expect(await its.sensors.get(0, 'id_b')).not.toBeNull();
});

test('linking a sensor uses up the pairing code, so two customers can never both link it', async () => {
  const { its, move } = await createSensors();
  const pairingHash = 'code of t1';
  expect(await move(0, 'id_a', HOME, now, { pairingHash: 'another' })).toBe('code_used');
  const [first, second] = await Promise.all([
    move(0, 'id_a', HOME, now, { pairingHash }),
    move(0, 'id_a', OTHER_HOME, now, { pairingHash }),
  ]);
  expect([first, second].filter((result) => typeof result === 'object')).toHaveLength(1);
  expect(await its.devices.pairing(pairingHash)).toBeNull();
  expect((await its.sensors.list(HOME)).length + (await its.sensors.list(OTHER_HOME)).length).toBe(1);
});

test('linking a sensor invalidates a token that its device has replaced', async () => {
  const { its, move, table } = await createSensors();
  await table.write({ put: { ...items.device({ hash: 't0' }), hash: 't0', sensorId: 'id_a' } });
  const link = await its.devices.linkOf('id_a');
  await table.write({
    put: { ...link, formerHash: 't0', formerUntil: now + DAY, ...items.deviceOfSensor({ sensorId: 'id_a' }) },
  });
  await move(0, 'id_a', HOME);
  expect(await its.devices.get('t0')).toBeNull();
  expect(await its.devices.linkOf('id_a')).not.toHaveProperty('formerHash');
});

test('a sensor that leaves its customer starts over with default settings', async () => {
  const { its, move, count, table } = await furnished();
  await its.firmwares.create(some({ manufacturer: 'maker_a', versionCode: 8, isDefault: false }));
  expect(await move(HOME, 'id_a', OTHER_HOME, now + 1)).toMatchObject({ customerId: OTHER_HOME, groupId: 0 });
  const elsewhere = { ...key, customerId: OTHER_HOME };
  for (const at of [key, elsewhere]) {
    expect(await its.configs.list(at)).toEqual([]);
    expect(await its.rooms.get(at.customerId, 'id_a')).toBeNull();
  }
  expect([await count(), await count(OTHER_HOME)]).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect((await its.sensorGroups.get(HOME, 20))?.sensorIds).toEqual([]);
  expect(await its.states.get(OTHER_HOME, 'id_a')).toBeNull();
  // The sensor no longer pins this firmware.
  expect(await its.firmwares.remove('maker_a', 8)).toBe('done');
  expect(await table.get(items.sensor(key))).toBeNull();
});

test('a sensor that leaves its customer is remembered until its data expires', async () => {
  const { its, move } = await furnished();
  await move(HOME, 'id_a', OTHER_HOME, now + 1);
  const ttl = Math.ceil((now + 1 + EVENT_RETENTION + 15 * DAY) / 1_000);
  expect(await its.sensors.former(HOME, 'id_a')).toMatchObject({
    sensor: { id: 'id_a' },
    regions: [],
    critical: { a: 1 },
    ttl,
  });
  const state = await its.states.get(HOME, 'id_a');
  expect(state).toMatchObject({ version: 2, ttl });
  expect(state).not.toHaveProperty('duePk');
  expect(await its.states.decide(key, 1, stateWith())).toBe(false);
  // A sensor that returns to a customer starts without the earlier state.
  await move(OTHER_HOME, 'id_a', HOME, now + 2);
  expect([await its.states.get(HOME, 'id_a'), await its.sensors.former(HOME, 'id_a')]).toEqual([null, null]);
});

test('an unlinked sensor does not have a customer', async () => {
  const { its, move, count } = await furnished();
  expect(await move(HOME, 'id_a', 0)).toMatchObject({ customerId: null });
  expect([await its.customers.ownerOf('sensor', 'id_a'), await count()]).toEqual([0, [0, 0]]);
  expect(await its.sensors.get(0, 'id_a')).toMatchObject({ groupId: 0 });
});

test('a moved sensor keeps the latest settings even if they change concurrently', async () => {
  const { its, move, once } = await furnished();
  once('TransactWriteCommand', () =>
    its.configs.put(key, 'critical', { values: { a: 2 } }, { version: 1, values: {} }),
  );
  expect(await move(HOME, 'id_a', OTHER_HOME)).toMatchObject({ customerId: OTHER_HOME });
  expect(await its.sensors.former(HOME, 'id_a')).toMatchObject({ critical: { a: 2 } });
});

test('deleting a sensor also deletes its device and settings', async () => {
  const { its, table, count } = await furnished();
  const { hardwareId } = (await its.sensors.get(HOME, 'id_a')) ?? { hardwareId: '' };
  const state = await its.states.get(HOME, 'id_a');
  await its.states.decide(key, state?.version ?? 0, stateWith({ isActive: false }));
  expect(await its.sensorOwners.remove(HOME, 'id_a', now)).toBe('done');
  expect([await its.sensors.get(HOME, 'id_a'), await its.devices.get('t1'), await its.devices.linkOf('id_a')]).toEqual([
    null,
    null,
    null,
  ]);
  expect([await its.devices.pairing('code of t1'), await its.devices.idOfHardware('maker_a', hardwareId)]).toEqual([
    null,
    null,
  ]);
  expect([
    await its.customers.ownerOf('sensor', 'id_a'),
    await its.rooms.get(HOME, 'id_a'),
    await its.configs.list(key),
  ]).toEqual([null, null, []]);
  expect([await count(), (await its.sensorGroups.get(HOME, 20))?.sensorIds]).toEqual([[0, 0], []]);
  expect(await its.sensors.former(HOME, 'id_a')).toMatchObject({ critical: { a: 1 } });
  expect(await table.get(items.sensorState(key))).toMatchObject({ version: 3 });
  expect(await its.sensorOwners.remove(HOME, 'id_a', now)).toBe('gone');
});

test('an active sensor cannot be deleted, even if it becomes active concurrently', async () => {
  const { its, once } = await furnished();
  expect(await its.sensorOwners.remove(HOME, 'id_a', now)).toBe('active');
  await its.states.decide(key, 1, stateWith({ isActive: false }));
  await its.sensors.setActive(HOME, 'id_a', true, now);
  expect(await its.sensorOwners.remove(HOME, 'id_a', now)).toBe('active');
  await its.sensors.setActive(HOME, 'id_a', false, now + 1);
  once('TransactWriteCommand', () => its.states.decide(key, 2, stateWith({ isActive: true })));
  expect(await its.sensorOwners.remove(HOME, 'id_a', now)).toBe('active');
  expect(await its.sensors.get(HOME, 'id_a')).not.toBeNull();
});

test('deleting a sensor fails if a first message arrives concurrently', async () => {
  const { its, once, move } = await createSensors();
  await move(0, 'id_a', HOME);
  once('TransactWriteCommand', () => its.states.decide(key, 0, stateWith({ isActive: true })));
  expect(await its.sensorOwners.remove(HOME, 'id_a', now)).toBe('active');
});

test('deleting a sensor without an owner also removes its state', async () => {
  const { its, once } = await createSensors();
  const nobodys = { ...key, customerId: 0 };
  await its.states.decide(nobodys, 0, stateWith({ isActive: false }));
  once('TransactWriteCommand', () => its.states.decide(nobodys, 1, stateWith({ isActive: true })));
  expect(await its.sensorOwners.remove(0, 'id_a', now)).toBe('active');
  await its.states.decide(nobodys, 2, stateWith({ isActive: false }));
  expect(await its.sensorOwners.remove(0, 'id_a', now)).toBe('done');
  expect([await its.states.get(0, 'id_a'), await its.sensors.former(0, 'id_a')]).toEqual([null, null]);
});

test('an active sensor can be erased, and only a record remains', async () => {
  const { its, table, register, move } = await furnished();
  expect(await its.sensorOwners.erase(HOME, 'id_a', now)).toBe('done');
  expect([await its.states.get(HOME, 'id_a'), await its.sensors.former(HOME, 'id_a')]).toEqual([null, null]);
  expect([await its.sensors.wasErased(HOME, 'id_a'), await its.sensors.wasErased(HOME, 'id_b')]).toEqual([true, false]);
  const [mark] = await table.queryAll({ pk: items.erasedSensor.pk({ customerId: HOME }), beginsWith: 'ERASED#' });
  expect(mark).toMatchObject({ ttl: (now + 15 * DAY) / 1_000, goesOn: true });
  // Until it ends, the erasure would also remove new sensor data.
  await register('id_a', 't9');
  expect(await move(0, 'id_a', HOME)).toBe('being_erased');
  expect(await move(0, 'id_a', OTHER_HOME)).toMatchObject({ customerId: OTHER_HOME });
});

describe('sensor list entries', () => {
  const linked = async () => {
    const world = await createSensors();
    await world.move(0, 'id_a', HOME);
    const listed = async () => (await world.its.sensors.list(HOME))[0];
    return { ...world, sensors: world.its.sensors, listed };
  };
  test('a sensor list entry shows activity as of the latest report', async () => {
    const { sensors, listed } = await linked();
    await sensors.setActive(HOME, 'id_a', true, now + 5);
    expect(await listed()).toMatchObject({ isActive: true, updateDate: now + 5 });
    await sensors.setActive(HOME, 'id_a', false, now + 4);
    expect(await listed()).toMatchObject({ isActive: true });
    await sensors.setActive(HOME, 'id_a', false, now + 5);
    expect(await listed()).toMatchObject({ isActive: false });
    await sensors.setActive(HOME, 'id_b', true, now);
    expect(await sensors.get(HOME, 'id_b')).toBeNull();
  });

  test('a sensor list entry shows whether messages are not understood, and is written only when this changes', async () => {
    const { sensors, listed } = await linked();
    const set = (isMisunderstood: boolean, id = 'id_a') =>
      sensors.setObstacle(HOME, id, 'isMisunderstood', isMisunderstood);
    expect([await set(false), await set(true), await set(true), await set(true, 'id_b')]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(await listed()).toMatchObject({ isMisunderstood: true });
    expect([await set(false), await listed()]).toEqual([true, expect.not.objectContaining({ isMisunderstood: true })]);
  });

  test('a sensor list entry shows the firmware, and is written only when the firmware changes', async () => {
    const { sensors, listed } = await linked();
    await sensors.setFirmware(HOME, 'id_a', 7);
    await sensors.setFirmware(HOME, 'id_a', 7);
    expect([await listed(), (await sensors.get(HOME, 'id_a'))?.revision]).toEqual([
      expect.objectContaining({ firmwareVersion: 7 }),
      2,
    ]);
    await sensors.setFirmware(HOME, 'id_b', 7);
    expect(await sensors.get(HOME, 'id_b')).toBeNull();
  });

  test('a sensor list entry can be updated even if the sensor changes concurrently', async () => {
    const { sensors, listed, once } = await linked();
    once('UpdateCommand', () => sensors.setActive(HOME, 'id_a', true, now));
    await sensors.setFirmware(HOME, 'id_a', 7);
    expect(await listed()).toMatchObject({ isActive: true, firmwareVersion: 7 });
    once('UpdateCommand', () => sensors.setFirmware(HOME, 'id_a', 8));
    await sensors.setObstacle(HOME, 'id_a', 'isMisunderstood', true);
    once('UpdateCommand', () => sensors.setFirmware(HOME, 'id_a', 9));
    await sensors.setActive(HOME, 'id_a', false, now + 1);
    expect(await listed()).toMatchObject({ isActive: false, firmwareVersion: 9, isMisunderstood: true });
  });

  test('a sensor is read together with its customer and, unless known, its state', async () => {
    const { its, sensors } = await linked();
    await its.states.decide(key, 0, stateWith());
    const found = await sensors.getWithContext(HOME, 'id_a');
    expect(found).toMatchObject({ sensor: { id: 'id_a' }, state: { version: 1 }, customer: { id: HOME } });
    const known = stateWith({ version: 9 });
    expect((await sensors.getWithContext(HOME, 'id_a', known)).state).toBe(known);
    expect(await sensors.getWithContext(0, 'id_b')).toEqual({ sensor: null, state: null, customer: null });
    expect(await sensors.getAll(HOME, ['id_a', 'id_b'])).toMatchObject([{ id: 'id_a' }]);
    expect([await sensors.getEventual(HOME, 'id_a'), await sensors.getEventual(OTHER_HOME, 'id_a')]).toMatchObject([
      { id: 'id_a' },
      null,
    ]);
  });
});
