import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { FullPayload } from '#shared/domain/formats/full-payload.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import { concurrently, statusOf } from '../fixtures/answers.ts';
import type { Client } from '../fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '../fixtures/cloud.ts';
import { createCrash } from '../fixtures/crash.ts';
import { ALL_PERMISSIONS, adminOf, createHome, hireFor, linkSensor, nextHardwareId } from '../fixtures/home.ts';

const MINUTE = 60_000;
let cloud: Cloud;
let admin: Client;
let receiver: Receiver;
let home: Awaited<ReturnType<typeof createHome>>;
let ahead = 0;
/** How many more messages the event queue will reject. */
let rejections = 0;
const death = createCrash();
beforeAll(async () => {
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  const wrap = (runtime: Runtime): Runtime => ({
    ...death.options.wrap(runtime),
    queues: {
      ...runtime.queues,
      send: async (queue, messages) => {
        if (queue === 'events' && rejections-- > 0) throw new Error('the queue is down');
        await runtime.queues.send(queue, messages);
      },
    },
  });
  [cloud, receiver] = await Promise.all([startTestCloud({ clock, wrap, log: () => {} }), startReceiver()]);
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ALL_PERMISSIONS);
  for (const format of ['full', 'raw'])
    await home.client.ok('POST', '/webhooks', { name: format, url: receiver.url, format, isCustomerHook: true });
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

type Answer = { sensorId: string; deviceToken: string };
const makers = ['maker_a', 'maker_b'] as const;
const keyed = () => admin.as(PROVISIONING_KEY);
/** Creates a linked sensor whose device can register again. */
const linked = async (manufacturer: (typeof makers)[number] = 'maker_a') => {
  const sensor = await linkSensor(home.client, manufacturer);
  const { hardwareId } = (await store(cloud.runtime.table).sensors.get(home.customerId, sensor.sensorId)) ?? {};
  const again = (more: object = {}, client = keyed()) =>
    client.call('POST', '/devices/register', { manufacturer, hardwareId, firmwareVersion: 43, ...more });
  const open = (client = home.client) => client.call('POST', `/sensors/${sensor.sensorId}/registration`);
  return { ...sensor, again, open };
};
const post = (sensorId: string, token: string) =>
  statusOf(admin.as(token).call('POST', `/devices/${sensorId}/messages`, { type: 'state', payload: {} }));
const actionsOf = async (sensorId: string): Promise<string[]> => {
  await cloud.idle();
  const path = `/sensors/${sensorId}/events?perPage=200`;
  const [page] = await home.client.ok<{ data: { type: string; action: string }[] }[]>('GET', path);
  return (page?.data ?? []).map(({ type, action }) => `${type}/${action}`).toReversed();
};
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as FullPayload);

describe('a linked sensor', () => {
  test('a provisioning key cannot take over a linked sensor', async () => {
    const { sensorId, deviceToken, pairingCode, again, device } = await linked();
    await device.ok('POST', `/devices/${sensorId}/messages`, { type: 'state', payload: {} });
    await cloud.idle();
    const path = `/sensors/${sensorId}`;
    const before = [await home.client.ok('GET', path), await home.client.ok('GET', `${path}/status`)];
    ahead += 1_000;
    for (const more of [{}, { deviceToken: 'wrong' }, { deviceToken: pairingCode }, { deviceToken: PROVISIONING_KEY }])
      expect(await statusOf(again(more))).toBe(409);
    expect(await statusOf(again({ deviceToken: { wrong: true } }))).toBe(400);
    expect(await actionsOf(sensorId)).toEqual(['sensor/active', ...Array(4).fill('sensor/registration_refused')]);
    expect([await home.client.ok('GET', path), await home.client.ok('GET', `${path}/status`)]).toEqual(before);
    expect(await post(sensorId, deviceToken)).toBe(202);
    const notices = bodies().filter(({ event }) => event?.action === 'registration_refused');
    expect(notices).toHaveLength(4);
    for (const payload of notices) expect(FullPayload.parse(payload)).toMatchObject({ event: { raw: {} }, rule: null });
    expect(notices[0]).toMatchObject({ webhook: { name: 'full' }, sensor: { id: sensorId } });
  });

  test.each(makers)('registering again with the current token replaces that token (%s)', async (maker) => {
    const { sensorId, deviceToken, again } = await linked(maker);
    const answer = await again({ deviceToken });
    expect(answer.status).toBe(200);
    const fresh = answer.body as Answer;
    expect(fresh.sensorId).toBe(sensorId);
    expect([await post(sensorId, fresh.deviceToken), await post(sensorId, deviceToken)]).toEqual([202, 401]);
    expect(await statusOf(again({ deviceToken }))).toBe(409);
    const actions = await actionsOf(sensorId);
    expect(actions.filter((action) => action.includes('regist'))).toEqual([
      'sensor/registered',
      'sensor/registration_refused',
    ]);
  });

  test("a sensor cannot register again with another sensor's token", async () => {
    const first = await linked();
    const other = await linked();
    expect(await statusOf(first.again({ deviceToken: other.deviceToken }))).toBe(409);
    expect(await post(other.sensorId, other.deviceToken)).toBe(202);
  });

  test('50 concurrent requests register a sensor only once while registration is open', async () => {
    const { sensorId, again, open } = await linked();
    const allowed = await open();
    expect(allowed.status).toBe(200);
    const { registrationUntil } = allowed.body as { registrationUntil: number };
    expect(Math.abs(registrationUntil - systemClock.now() - ahead - 15 * MINUTE)).toBeLessThan(MINUTE);
    const answers = await concurrently(50, () => again());
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const winner = answers.find(({ status }) => status === 200)?.body as Answer | undefined;
    expect(await post(sensorId, winner?.deviceToken ?? '')).toBe(202);
    const actions = await actionsOf(sensorId);
    expect(actions.filter((action) => action === 'sensor/registered')).toHaveLength(1);
    expect(actions.filter((action) => action === 'sensor/registration_refused')).toHaveLength(10);
    expect(await statusOf(again())).toBe(409);
  });

  test('users who manage sensors can open a sensor for registration for 15 minutes', async () => {
    const { sensorId, again, open } = await linked();
    const others = ALL_PERMISSIONS.filter((permission) => permission !== 'manage_sensors');
    const colleague = await hireFor(admin, home.customerId, 'colleague', { permissions: others });
    expect(await statusOf(open(colleague.client))).toBe(403);
    const stranger = await createHome(admin, 'stranger', ALL_PERMISSIONS);
    expect(await statusOf(open(stranger.client))).toBe(404);
    expect(await statusOf(open())).toBe(200);
    ahead += 15 * MINUTE;
    expect(await statusOf(again())).toBe(409);
    await open();
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: stranger.customerId });
    expect(await statusOf(again())).toBe(409);
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: null });
    expect(await statusOf(again())).toBe(200);
  });

  test('generating a new pairing code keeps a sensor open for registration', async () => {
    const { sensorId, again, open, device } = await linked();
    await open();
    await device.ok('POST', `/devices/${sensorId}/pairing-code`);
    expect(await statusOf(again())).toBe(200);
  });
});

describe('registration events', () => {
  test('registration events arrive even if the queue was down', async () => {
    const { sensorId, again, deviceToken } = await linked();
    rejections = 2;
    const { deviceToken: fresh } = (await again({ deviceToken })).body as Answer;
    expect(await statusOf(again())).toBe(409);
    expect(await actionsOf(sensorId)).toEqual([]);
    expect(rejections).toBe(0);
    ahead += 2 * MINUTE;
    await cloud.sweep();
    expect(await actionsOf(sensorId)).toEqual(['sensor/registered', 'sensor/registration_refused']);
    const status = await home.client.ok('GET', `/sensors/${sensorId}/status`);
    expect(status).toMatchObject({ isActive: false, lastSeen: null });
    expect(await post(sensorId, fresh)).toBe(202);
  });

  test('a registration creates only one event even if a process dies while handling it', async () => {
    const { sensorId, again, deviceToken } = await linked();
    death.at('process.applied');
    await again({ deviceToken });
    expect(await actionsOf(sensorId)).toEqual(['sensor/registered']);
    ahead += 6 * MINUTE;
    await cloud.sweep();
    expect([await actionsOf(sensorId), death.isOver()]).toEqual([['sensor/registered'], true]);
  });

  test('no more than 100 rejected registrations create events within 15 minutes', async () => {
    const first = await linked();
    const other = await linked();
    ahead += 15 * MINUTE;
    const { limits } = store(cloud.runtime.table);
    const now = systemClock.now() + ahead;
    await concurrently(99, () => limits.countFailure(`refused:customer:${home.customerId}`, 900, now));
    expect([await statusOf(first.again()), await statusOf(other.again())]).toEqual([409, 409]);
    const actions = [await actionsOf(first.sensorId), await actionsOf(other.sensorId)];
    expect(actions).toEqual([['sensor/registration_refused'], []]);
    ahead += 15 * MINUTE;
    await other.again();
    expect(await actionsOf(other.sensorId)).toEqual(['sensor/registration_refused']);
  });
});

describe('a provisioning key', () => {
  type Key = { id: string; key: string; devices: number; lastUsed: number | null };
  const make = (more: object) =>
    admin.ok<Key>('POST', '/provisioning-keys', { name: 'n', manufacturer: 'maker_a', ...more });
  const shown = async ({ id }: Key) =>
    (await admin.ok<Key[]>('GET', '/provisioning-keys')).find((key) => key.id === id);
  const registerBy = ({ key }: Key, hardwareId = nextHardwareId(), more: object = {}) =>
    admin
      .as(key)
      .call('POST', '/devices/register', { manufacturer: 'maker_a', hardwareId, firmwareVersion: 1, ...more });

  test('a provisioning key registers at most maxDevices devices across 50 concurrent requests', async () => {
    const key = await make({ maxDevices: 7 });
    expect(key).toMatchObject({ maxDevices: 7, expires: null, devices: 0, lastUsed: null });
    const known = nextHardwareId();
    const hardwareIds = [...Array.from({ length: 49 }, nextHardwareId), known];
    expect(await statusOf(registerBy(key, known))).toBe(201);
    const answers = await concurrently(50, (at) => registerBy(key, hardwareIds[at]));
    const statuses = answers.map(({ status }) => status);
    expect([201, 409, 200].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([6, 43, 1]);
    expect(answers.find(({ status }) => status === 409)?.text).toContain('7 devices');
    expect(await statusOf(registerBy(key, known))).toBe(200);
    expect(await shown(key)).toMatchObject({ devices: 7, lastUsed: expect.any(Number) });
  });

  test('an expired provisioning key is rejected like an unknown one', async () => {
    const key = await make({ expires: systemClock.now() + ahead + MINUTE });
    expect(await statusOf(registerBy(key))).toBe(201);
    const { lastUsed } = (await shown(key)) ?? {};
    ahead += MINUTE;
    const late = await registerBy(key);
    const garbage = await registerBy({ ...key, key: 'garbage' });
    expect([late.status, late.text]).toEqual([401, garbage.text]);
    expect(await shown(key)).toMatchObject({ devices: 1, lastUsed });
  });

  test.each([{ expires: 1 }, { expires: '2030' }, { maxDevices: 0 }, { maxDevices: 1_000_001 }, { maxDevices: 1.5 }])(
    'a provisioning key with %j is rejected with 400',
    async (more) => {
      const body = { name: 'n', manufacturer: 'maker_a', ...more };
      expect(await statusOf(admin.call('POST', '/provisioning-keys', body))).toBe(400);
    },
  );
});
