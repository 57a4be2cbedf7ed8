import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { register } from '../fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor, nextHardwareId } from '../fixtures/home.ts';
import { a, b } from '../fixtures/messages.ts';

let ahead = 0;
let queued = 0;
const now = () => systemClock.now() + ahead;
let cloud: Cloud;
let home: Awaited<ReturnType<typeof createHome>>;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
beforeAll(async () => {
  cloud = await startTestCloud({
    clock: { ...systemClock, now },
    wrap: (runtime) => {
      const send: typeof runtime.queues.send = (queue, messages) => {
        if (queue === 'events') queued += messages.length;
        return runtime.queues.send(queue, messages);
      };
      return { ...runtime, queues: { ...runtime.queues, send } };
    },
  });
  home = await createHome(await adminOf(cloud.url), 'cedar', ALL_PERMISSIONS);
});
afterAll(() => cloud.stop());

/** Sends a message the given number of seconds later. Returns how many messages were queued for it. */
const say = async (message: object, seconds: number): Promise<number> => {
  // Work in progress uses the same clock.
  await cloud.idle();
  ahead += seconds * 1_000;
  const before = queued;
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
  await cloud.idle();
  return queued - before;
};
const events = async () => {
  const [page] = await home.client.ok<{ data: { action: string }[] }[]>('GET', `/sensors/${sensor.sensorId}/events`);
  return page?.data.map(({ action }) => action);
};

describe('a report that changes nothing', () => {
  beforeEach(async () => {
    sensor = await linkSensor(home.client);
    await say(a.presence(true), 60);
    await say(a.presence(true), 60);
  });

  test('unchanged reports skip the queue starting with the third one', async () => {
    for (let minute = 0; minute < 10; minute++) expect(await say(a.presence(true), 60)).toBe(0);
    expect(await events()).toEqual(['active', 'occupied_room']);
    const { isActive } = await home.client.ok<{ isActive: boolean }>('GET', `/sensors/${sensor.sensorId}`);
    expect(isActive).toBe(true);
  });

  test('an unchanged report skips the queue right after a change', async () => {
    expect(await say(a.presence(false), 60)).toBe(1);
    expect(await say(a.presence(false), 60)).toBe(0);
    expect(await say(a.presence(true), 1)).toBe(1);
    expect(await say(a.presence(true), 1)).toBe(0);
    expect(await say(a.presence(false), 1)).toBe(1);
    expect(await say(a.presence(false), 1)).toBe(0);
    expect(await events()).toEqual(['empty_room', 'occupied_room', 'empty_room', 'active', 'occupied_room']);
  });

  test('an unchanged report skips the queue during a fall', async () => {
    const start = now();
    expect(await say(a.fall('calling', start), 1)).toBe(1);
    expect(await say(a.presence(true), 1)).toBe(0);
    expect(await say(a.fall('calling', start), 61)).toBe(1);
    expect(await say(a.fall('finished', start), 1)).toBe(1);
    expect(await say([a.presence(true), a.fall('calling', start + 1)], 1)).toBe(1);
  });

  test('an older message that arrives after an unchanged report counts as late', async () => {
    const late = a.presence(false);
    for (let minute = 0; minute < 3; minute++) expect(await say(a.presence(true), 60)).toBe(0);
    expect(await say(late, 1)).toBe(0);
    expect(await events()).toEqual(['active', 'occupied_room']);
  });

  test('a maker B report that changes nothing also skips the queue', async () => {
    sensor = await linkSensor(home.client, 'maker_b');
    for (const queuedFor of [1, 1, 0, 0]) expect(await say(b.people(2), 60)).toBe(queuedFor);
    expect(await say(b.vital(0, 14, 60), 60)).toBe(0);
    expect(await say(b.people(0), 60)).toBe(1);
  });

  test('identical maker B messages without a timestamp are not merged', async () => {
    sensor = await linkSensor(home.client, 'maker_b');
    const { timestamp: _, ...normal } = b.vital(0, 14, 60);
    const enters = { cmd: 'event', type: 1, data: [{ event: 1 }] };
    const leaves = { cmd: 'event', type: 1, data: [{ event: 2 }] };
    for (const message of [normal, normal, normal]) await say(message, 60);
    for (const message of [enters, normal, enters, leaves]) await say(message, 1);
    expect(await events()).toEqual(['occupied_room', 'active']);
    await say(leaves, 121);
    expect((await events())?.[0]).toBe('empty_room');
  });

  test('an unchanged report goes through the queue after the token or customer changes', async () => {
    const provisioner = home.client.as(PROVISIONING_KEY);
    const hardwareId = nextHardwareId();
    const first = await register(home.client, PROVISIONING_KEY, hardwareId);
    await home.client.ok('POST', '/sensors/link', { manufacturer: 'maker_a', code: first.pairingCode });
    sensor = { ...first, device: home.client.as(first.deviceToken) };
    for (const queuedFor of [1, 1, 0]) expect(await say(a.presence(true), 60)).toBe(queuedFor);
    const body = { manufacturer: 'maker_a', hardwareId, firmwareVersion: 42, deviceToken: first.deviceToken };
    const again = await provisioner.ok<{ deviceToken: string }>('POST', '/devices/register', body);
    sensor = { ...sensor, device: sensor.device.as(again.deviceToken) };
    for (const queuedFor of [1, 1, 0]) expect(await say(a.presence(true), 60)).toBe(queuedFor);
    const admin = await adminOf(cloud.url);
    const { customerId } = await createHome(admin, `elm-${ahead}`, ALL_PERMISSIONS);
    await admin.ok('PUT', `/sensors/${sensor.sensorId}/customer`, { customerId });
    expect(await say(a.presence(true), 60)).toBe(1);
  });
});
