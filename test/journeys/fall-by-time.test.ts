import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { store } from '#shared/store/store.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';

const clock = skippingClock(Date.now());
const { now } = clock;
let cloud: Cloud;
const receivers: Receiver[] = [];
beforeAll(async () => {
  // Tests move the cloud's clock ahead.
  cloud = await startTestCloud({ clock });
});
afterAll(async () => {
  await Promise.all([cloud, ...receivers].map((server) => server.stop()));
});

type FallEvent = {
  type: string;
  action: string;
  createDate: number;
  raw: object;
  normalizedCoordinates: object | null;
};

/** Creates a home with a sensor and webhooks for all events. */
const prepare = async (name: string) => {
  const admin = await adminOf(cloud.url);
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const sensor = await linkSensor(home.client);
  const receiver = await startReceiver();
  receivers.push(receiver);
  const hook = { name: 'all', isCustomerHook: true, url: receiver.url };
  await home.client.ok('POST', '/webhooks', { ...hook, format: 'full' });
  await home.client.ok('POST', '/webhooks', { ...hook, format: 'raw' });
  const post = async (message: object) => {
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
    await cloud.idle();
  };
  /** Advances time by the given number of seconds, with a sweep after each part. */
  const pass = async (seconds: number, part = seconds) => {
    for (let left = seconds; left > 0; left -= part) {
      clock.skipTo(now() + Math.min(part, left) * 1_000);
      await cloud.sweep();
      await cloud.idle();
    }
  };
  /** The phases of each remembered fall. */
  const falls = async () => {
    const state = await store(cloud.runtime.table).states.get(home.customerId, sensor.sensorId);
    return state?.falls.map(({ phases }) => phases);
  };
  const received = () => {
    const all = receiver.received.map(({ body }) => JSON.parse(body) as { event?: FallEvent });
    const full = all
      .flatMap(({ event }) => (event?.type === 'fall' ? [event] : []))
      .sort((a, b) => a.createDate - b.createDate);
    return { actions: full.map(({ action }) => action), full, raw: all.filter(({ event }) => !event) };
  };
  const critical = async (changes: object) => {
    const path = `/sensors/${sensor.sensorId}/maker_a/config/critical`;
    await admin.ok('PUT', path, { ...(await admin.ok('GET', path)), ...changes });
  };
  return { post, pass, falls, received, critical };
};

describe('a fall whose device only reports the start', () => {
  test('a fall advances to confirmed, notified and finished as the configured durations pass', async () => {
    const { post, pass, received, critical } = await prepare('maple');
    await critical({
      durationUntilConfirmSec: 20,
      energyDurationUntilConfirm: 12,
      confirmedToAlertTimeoutSec: 10,
      callingDurationSec: 15,
    });
    await post(fallMessage('fall_detected', now()));
    await pass(19);
    expect(received().actions).toEqual(['fall_suspected']);
    await pass(5);
    expect(received().actions).toEqual(['fall_suspected', 'confirmed']);
    await pass(10);
    expect(received().actions).toEqual(['fall_suspected', 'confirmed', 'fall_detected']);
    await pass(15);
    expect(received().actions).toEqual(['fall_suspected', 'confirmed', 'fall_detected', 'finished']);
    await pass(600, 60);
    expect(received().actions).toHaveLength(4);
  });

  test('a fall advances at most 3 s after energyDurationUntilConfirm, as documented', async () => {
    const { post, pass, received, critical } = await prepare('hazel');
    await critical({ durationUntilConfirmSec: 10, energyDurationUntilConfirm: 20 });
    const start = now();
    await post(fallMessage('fall_detected', start));
    await pass(22, 1);
    expect(received().actions).toEqual(['fall_suspected']);
    await pass(2, 1);
    expect(received().actions).toEqual(['fall_suspected', 'confirmed']);
    const date = received().full.at(-1)?.createDate ?? 0;
    expect(date - start).toBeGreaterThanOrEqual(20_000);
    expect(date - start).toBeLessThan(21_000);
    const document = await (await fetch(`${cloud.url}/openapi.json`)).text();
    const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, { description: string }>> };
    for (const method of ['get', 'put'])
      expect(paths['/sensors/{sensorId}/maker_a/config/critical']?.[method]?.description).toContain(
        'sent up to 3 s later',
      );
  });

  test('events raised by a timer have a location but no message', async () => {
    const { post, pass, received } = await prepare('birch');
    await post(fallMessage('fall_detected', now()));
    await pass(200, 10);
    const { full, raw } = received();
    const [first, ...others] = full;
    expect(others).toHaveLength(3);
    for (const { raw: message } of others) expect(message).toEqual({});
    for (const other of others.slice(0, 2)) expect(other.normalizedCoordinates).toEqual(first?.normalizedCoordinates);
    expect(raw).toMatchObject([{ type: 5 }]);
  });

  test('a timer does not advance a fall that the device has canceled', async () => {
    const { post, pass, received } = await prepare('cedar');
    const start = now();
    await post(fallMessage('fall_detected', start));
    await pass(50, 10);
    await post(fallMessage('fall_exit', start));
    await pass(300, 20);
    expect(received().actions).toEqual(['fall_suspected', 'canceled']);
    expect(received().raw).toHaveLength(2);
  });

  test('a fall notifies recipients only once even if the device reports it late', async () => {
    const { post, pass, received } = await prepare('alder');
    const start = now();
    await post(fallMessage('fall_detected', start));
    await pass(100, 10);
    await post(fallMessage('calling', start));
    await post(fallMessage('calling', start, { uuid: '00000000-0000-4000-8000-000000000009' }));
    expect(received().actions.filter((action) => action === 'fall_detected')).toHaveLength(1);
  });

  test('a fall notifies recipients after an outage, however long', async () => {
    const { post, pass, received } = await prepare('rowan');
    await post(fallMessage('fall_detected', now()));
    await pass(6 * 3_600);
    expect(received().actions).toEqual(['fall_suspected', 'confirmed', 'fall_detected', 'finished']);
  });

  test('a timer advances a fall on time, without waiting for the sweep', async () => {
    const { post } = await prepare('willow');
    const { waiting } = cloud;
    if (!('queues' in waiting)) throw new Error('this test needs queues in its process');
    const before = waiting.queues.timers.stats().delayed;
    await post(fallMessage('calling', now() - 1));
    // The timer for the check that someone was notified.
    expect(waiting.queues.timers.stats().delayed).toBe(before + 1);
    await post(fallMessage('fall_detected', now()));
    expect(waiting.queues.timers.stats().delayed).toBe(before + 2);
  });
});

describe('a fall only reported as calling', () => {
  test('a fall ends one minute after all durations have passed', async () => {
    const { post, pass, received, falls } = await prepare('ash');
    await post(fallMessage('calling', now()));
    await pass(170, 10);
    expect(await falls()).toEqual([['calling']]);
    await pass(400, 60);
    expect(await falls()).toEqual([['calling', 'finished']]);
    expect(received().actions).toEqual(['fall_detected', 'finished']);
    expect(received().raw).toHaveLength(1);
  });
});
