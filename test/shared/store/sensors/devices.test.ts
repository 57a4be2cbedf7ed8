import { describe, expect, test } from 'vitest';
import { items } from '#shared/store/table.ts';
import { now, some } from '#test/fixtures/store-items.ts';
import { createSensors, HOME, registration, sensorOf } from '#test/fixtures/store-sensors.ts';

const DAY = 86_400_000;
const HARDWARE = (sensorOf('id_a') as { hardwareId: string }).hardwareId;
const a = sensorOf('id_a');

/** A sensor linked to a customer. */
const linked = async () => {
  const world = await createSensors();
  await world.move(0, 'id_a', HOME);
  const again = (hash: string, presented: string | null, at = now, fields: object = {}) =>
    world.its.devices.registerAgain(sensorOf('id_a', { customerId: HOME }), registration(hash, at, fields), presented);
  const use = async (hash: string, at = now) => (await world.its.deviceTokens.use(hash, at)) !== null;
  return { ...world, again, use };
};

test('a new device is found by token, hardware and pairing code', async () => {
  const { its, table } = await createSensors();
  expect(await its.devices.get('t1')).toMatchObject({
    hash: 't1',
    sensorId: 'id_a',
    customerId: 0,
    manufacturer: 'maker_a',
  });
  expect(await its.devices.idOfHardware('maker_a', HARDWARE)).toBe('id_a');
  expect([await its.devices.idOfHardware('maker_b', HARDWARE), await its.devices.get('t2')]).toEqual([null, null]);
  const pairing = { sensorId: 'id_a', manufacturer: 'maker_a', expires: now + 1_000 };
  expect(await its.devices.pairing('code of t1')).toMatchObject({ ...pairing, ttl: now / 1_000 + 1 + 3_600 });
  expect(await its.devices.linkOf('id_a')).toMatchObject({ hash: 't1', pairingHash: 'code of t1' });
  expect(await its.sensors.get(0, 'id_a')).toMatchObject({ id: 'id_a', revision: 1 });
  expect(await table.get(items.owner({ kind: 'sensor', id: 'id_a' }))).toMatchObject({ customerId: 0 });
  await its.devices.usePairingCode('code of t1');
  expect(await its.devices.pairing('code of t1')).toBeNull();
});

test('a new device never overwrites another with the same id, hardware, token or code', async () => {
  const { register, its } = await createSensors();
  expect(await register('id_a', 't2', { hardwareId: '0000000000BB' })).toBe('taken');
  expect(await register('id_b', 't2', { hardwareId: HARDWARE })).toBe('taken');
  expect(await register('id_b', 't1')).toBe('taken');
  expect([await its.devices.get('t2'), await its.sensors.get(0, 'id_b')]).toEqual([null, null]);
  expect(await register('id_b', 't2')).toBe('done');
});

test('a new device counts toward the limit of the provisioning key', async () => {
  const { its } = await createSensors();
  await its.provisioning.put('h', some({ id: 'small', maxDevices: 1, expires: now + 1 }));
  const use = (id: string, hash: string, keyId = 'small') =>
    its.devices.register(sensorOf(id), hash, { hash: `code of ${hash}`, expires: now }, { id: keyId, maxDevices: 1 });
  expect(await use('id_a', 't5')).toBe('taken');
  expect([await use('id_b', 't2'), await use('id_c', 't3'), await use('id_c', 't3', 'unknown')]).toEqual([
    'done',
    'key_used_up',
    'key_used_up',
  ]);
  const listed = async () => (await its.provisioning.list()).find(({ id }) => id === 'small');
  expect(await listed()).toMatchObject({ devices: 1, lastUsed: now });
  await its.provisioning.recordUse('small', now + 5);
  expect(await listed()).toMatchObject({ devices: 1, lastUsed: now + 5 });
  await its.provisioning.recordUse('unknown', now);
  expect(await its.provisioning.list()).toHaveLength(2);
});

test('a provisioning key is valid until it expires or is deleted', async () => {
  const { its } = await createSensors();
  await its.provisioning.put('h', some({ id: 'small', maxDevices: 1, expires: now + 1 }));
  expect(await its.provisioning.byHash('h', now)).toMatchObject({ id: 'small' });
  expect([await its.provisioning.byHash('h', now + 1), await its.provisioning.byHash('i', now)]).toEqual([null, null]);
  expect(await its.provisioning.byHash('a key', now)).toMatchObject({ id: 'key' });
  expect([await its.provisioning.remove('small'), await its.provisioning.remove('small')]).toEqual([true, false]);
  expect(await its.provisioning.byHash('h', now)).toBeNull();
  expect((await its.provisioning.list()).map(({ id }) => id)).toEqual(['key']);
});

test('a linked device must present a token to re-register, unless its customer allows otherwise', async () => {
  const { again, use, its } = await linked();
  for (const presented of [null, 'another']) expect(await again('t2', presented)).toBe('refused');
  expect([await use('t1'), await use('t2')]).toEqual([true, false]);
  expect(await its.deviceTokens.allowRegistration(HOME, 'id_a', now + 100)).toBe(true);
  expect(await again('t2', null, now + 100)).toBe('refused');
  expect(await again('t2', null, now + 99)).toBe('done');
  expect([await use('t1'), await use('t2')]).toEqual([false, true]);
  expect(await again('t3', null, now)).toBe('refused');
});

test('a re-registered device can use the old token for a day or until it uses the new one', async () => {
  const { again, use, its, table } = await linked();
  expect(await again('t2', 't1')).toBe('done');
  expect(await its.devices.get('t1')).toMatchObject({ replacedUntil: now + DAY });
  expect([await use('t1', now + DAY - 1), await use('t1', now + DAY)]).toEqual([true, false]);
  expect(await table.get(items.device({ hash: 't1' }))).toMatchObject({ ttl: (now + DAY) / 1_000 + 3_600 });
  expect(await use('t2')).toBe(true);
  expect(await use('t1')).toBe(false);
  expect(await its.devices.linkOf('id_a')).toMatchObject({ hash: 't2' });
  expect(await its.devices.linkOf('id_a')).not.toHaveProperty('formerHash');
  expect([await use('t2'), (await its.devices.get('t2'))?.replaces]).toEqual([true, undefined]);
});

test('a re-registered device can use the old token again, which invalidates the unused one', async () => {
  const { again, use } = await linked();
  await again('t2', 't1');
  expect(await again('t3', 't1', now + DAY - 1)).toBe('done');
  expect([await use('t2'), await use('t1'), await use('t3')]).toEqual([false, true, true]);
  expect(await use('t1')).toBe(false);
  const late = await linked();
  await late.again('t2', 't1');
  expect(await late.again('t3', 't1', now + DAY)).toBe('refused');
});

test('re-registering renews the pairing code, updates the firmware version and creates a notice', async () => {
  const { again, its } = await linked();
  const { notice, ...more } = registration('t2');
  expect(await again('t2', 't1', now, { ...more, notice })).toBe('done');
  expect(await its.devices.pairing('code of t1')).toBeNull();
  expect(await its.devices.pairing('code of t2')).toMatchObject({ sensorId: 'id_a' });
  expect(await its.sensors.get(HOME, 'id_a')).toMatchObject({ firmwareVersion: 2 });
  expect(await its.events.notice(HOME, 'id_a', notice.uuid)).toMatchObject({ notice: 'registered' });
});

test('re-registering fails if the sensor has changed, or a code or token is taken', async () => {
  const { again, its, once } = await linked();
  once('TransactWriteCommand', () => its.sensors.setFirmware(HOME, 'id_a', 9));
  expect(await again('t2', 't1')).toBeNull();
  once('TransactWriteCommand', () => again('t5', 't1'));
  expect(await again('t2', 't1')).toBeNull();
  expect(await its.devices.registerAgain(sensorOf('id_b', { customerId: HOME }), registration('t6'), 't5')).toBeNull();
  expect(await its.devices.get('t2')).toBeNull();
});

test('an unlinked device can re-register without a token', async () => {
  const { its } = await createSensors();
  const { notice, ...more } = registration('t2');
  expect(await its.devices.registerAgain(a, { ...more, notice }, null)).toBe('done');
  expect(await its.deviceTokens.use('t1', now)).toBeNull();
  expect(await its.events.notice(0, 'id_a', notice.uuid)).toBeNull();
});

test('a customer can allow registration without a token only for its own sensors', async () => {
  const { its, again, use } = await linked();
  expect(await its.deviceTokens.allowRegistration(HOME + 1, 'id_a', now)).toBe(false);
  expect(await its.deviceTokens.allowRegistration(HOME, 'id_b', now)).toBe(false);
  await again('t2', 't1');
  expect(await its.deviceTokens.allowRegistration(HOME, 'id_a', now + 1)).toBe(true);
  expect([await use('t1'), await use('t2')]).toEqual([false, true]);
  expect(await its.sensors.get(HOME, 'id_a')).toMatchObject({ registrationUntil: now + 1 });
  expect(await its.devices.linkOf('id_a')).not.toHaveProperty('formerUntil');
});

test('a pairing code can be replaced only while the sensor is unchanged', async () => {
  const { its, once } = await createSensors();
  const pairing = { hash: 'c2', expires: now + 5 };
  expect(await its.devices.renewCode(a, pairing)).toBe(true);
  expect([await its.devices.pairing('code of t1'), (await its.devices.linkOf('id_a'))?.pairingHash]).toEqual([
    null,
    'c2',
  ]);
  once('TransactWriteCommand', () => its.devices.renewCode(a, { hash: 'c3', expires: now }));
  expect(await its.devices.renewCode(a, { hash: 'c4', expires: now })).toBe(false);
  expect((await its.devices.linkOf('id_a'))?.pairingHash).toBe('c3');
  expect(await its.devices.renewCode(sensorOf('id_b'), pairing)).toBe(false);
  expect((await its.devices.get('t1'))?.hash).toBe('t1');
});

test('device requests are numbered, and each record refers to the previous one', async () => {
  const { its } = await createSensors();
  expect(await its.devices.noteCall('t1', 'c1', now)).toEqual({ id: 'c1', at: now, seq: 1 });
  const before = { id: 'c1', at: now };
  expect(await its.devices.noteCall('t1', 'c2', now + 1)).toEqual({ id: 'c2', at: now + 1, seq: 2, before });
  expect(await its.devices.noteCall('t2', 'c1', now)).toBeUndefined();
  expect(await its.devices.get('t2')).toBeNull();
});

test("a device's requests can be held back only while the token is valid", async () => {
  const { its } = await createSensors();
  await its.devices.holdBack('t1', true);
  await its.devices.noteConnection('t1', 'connection', now);
  expect(await its.devices.get('t1')).toMatchObject({
    isHeldBack: true,
    connectionId: 'connection',
    connectDate: now,
  });
  await its.devices.holdBack('t1', false);
  expect(await its.devices.get('t1')).toMatchObject({ isHeldBack: false });
  await its.devices.holdBack('t2', true);
  await its.devices.noteConnection('t2', 'connection', now);
  expect(await its.devices.get('t2')).toBeNull();
});

describe('firmware', () => {
  const firmware = (versionCode: number, isDefault = false) =>
    some({ manufacturer: 'maker_a', versionCode, isDefault });
  const list = async ({ its }: Awaited<ReturnType<typeof createSensors>>) =>
    (await its.firmwares.list('maker_a')).map(({ versionCode, isDefault }) => [versionCode, isDefault]);
  test('firmware is created only once, and each manufacturer has one default version', async () => {
    const world = await createSensors();
    const { firmwares } = world.its;
    expect([await firmwares.create(firmware(10, true)), await firmwares.create(firmware(9))]).toEqual([true, true]);
    expect(await firmwares.create(firmware(9, true))).toBe(false);
    expect(await list(world)).toEqual([
      [9, false],
      [10, true],
    ]);
    expect([await firmwares.setDefault('maker_a', 9), await firmwares.setDefault('maker_a', 8)]).toEqual([true, false]);
    expect([await firmwares.defaultOf('maker_a'), await firmwares.defaultOf('maker_b')]).toEqual([9, null]);
    expect(await firmwares.list('maker_b')).toEqual([]);
    expect(await firmwares.get('maker_a', 10)).not.toHaveProperty('isDefault');
  });

  test('firmware can be deleted only if it is neither the default nor pinned', async () => {
    const { its } = await linked();
    for (const version of [8, 9, 10]) await its.firmwares.create(firmware(version, version === 10));
    const sensor = { customerId: HOME, sensorId: 'id_a', manufacturer: 'maker_a' } as const;
    const pin = (firmwareVersion: number | null, version: number | null) =>
      its.configs.put(
        sensor,
        'firmware',
        { values: { firmwareVersion } },
        version === null ? null : { version, values: { firmwareVersion: version === 1 ? 8 : 9 } },
      );
    const remove = (version: number) => its.firmwares.remove('maker_a', version);
    expect(await pin(8, null)).toBe('done');
    expect([await remove(8), await remove(10), await remove(7)]).toEqual(['in_use', 'in_use', 'gone']);
    expect(await pin(9, 1)).toBe('done');
    expect([await remove(9), await remove(8), await remove(8)]).toEqual(['in_use', 'done', 'gone']);
    expect(await pin(null, 2)).toBe('done');
    expect(await remove(9)).toBe('done');
  });
});

describe('configurations', () => {
  const key = { customerId: HOME, sensorId: 'id_a', manufacturer: 'maker_a' } as const;
  test('a configuration cannot be replaced if it has changed since it was read', async () => {
    const { its } = await linked();
    const put = (values: object, before: object | null, sensorId = 'id_a') =>
      its.configs.put({ ...key, sensorId }, 'critical', { values }, before as never);
    expect([await put({ a: 1 }, null), await put({ a: 2 }, null)]).toEqual(['done', 'changed']);
    expect(await put({ a: 2 }, { version: 1, values: {} })).toBe('done');
    expect(await put({ a: 3 }, { version: 1, values: {} })).toBe('changed');
    expect(await its.configs.get(key, 'critical')).toMatchObject({ name: 'critical', version: 2, values: { a: 2 } });
    expect(await its.configs.list(key)).toHaveLength(1);
    expect([await put({}, null, 'id_b'), await its.configs.list({ ...key, sensorId: 'id_b' })]).toEqual(['gone', []]);
    expect((await its.sensors.get(HOME, 'id_a'))?.revision).toBe(3);
  });

  test('a configuration change updates the copy in the sensor at the same time', async () => {
    const { its, once } = await linked();
    const put = (isSilent: boolean, before: object | null, sensorId = 'id_a') =>
      its.configs.put({ ...key, sensorId }, 'critical', { values: {}, ofSensor: { isSilent } }, before as never);
    once('TransactWriteCommand', () => its.sensors.setFirmware(HOME, 'id_a', 9));
    expect(await put(true, null)).toBe('done');
    expect(await its.sensors.get(HOME, 'id_a')).toMatchObject({ isSilent: true, firmwareVersion: 9 });
    expect((await its.sensors.list(HOME))[0]).toMatchObject({ isSilent: true });
    expect([await put(false, null), await put(false, null, 'id_b')]).toEqual(['changed', 'gone']);
    expect(await its.sensors.get(HOME, 'id_a')).toMatchObject({ isSilent: true });
  });

  test('a learning phase schedules an end notice, and canceling removes it', async () => {
    const { its, table } = await linked();
    const notices = () => table.queryAll({ pk: items.notice.pk(key), beginsWith: 'NOTICE#' });
    const put = (learning: object, before: object | null) =>
      its.configs.put(key, 'basic', { values: {}, learning: learning as never }, before as never);
    await put({ started: now + DAY, canceled: null }, null);
    expect(await notices()).toMatchObject([{ notice: 'learning_completed', receiveDate: now + DAY }]);
    await put({ started: null, canceled: now + DAY }, { version: 1, values: {} });
    expect(await notices()).toEqual([]);
  });
});
