import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { type SkippingClock, skippingClock, systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { encodeTask } from '#shared/queue/encode.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, linkSensor } from '../fixtures/home.ts';

const MINUTE = 60_000;
let clock: SkippingClock;
let cloud: Cloud;
let receiver: Receiver;
beforeAll(async () => {
  clock = skippingClock(Date.now());
  [cloud, receiver] = await Promise.all([startTestCloud({ clock }), startReceiver()]);
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

const presence = (present: boolean) => ({
  type: 4,
  payload: { presenceDetected: present, timestamp: clock.now() },
});
/** Advances time by the given number of minutes, with a sweep every `between` minutes. */
const pass = async (minutes: number, between = 1): Promise<void> => {
  for (let minute = 0; minute < minutes; minute += between) {
    clock.skipTo(clock.now() + between * MINUTE);
    await cloud.sweep();
    await cloud.idle();
  }
};

describe('a sensor', () => {
  test('a sensor becomes inactive 300 s after the last message', async () => {
    const home = await createHome(await adminOf(cloud.url), 'cedar', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    await createAlarm(home.client, receiver.url, 'sensor_active', { format: 'custom1' });
    await createAlarm(home.client, receiver.url, 'sensor_inactive', { format: 'custom1' });
    const post = () => sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, presence(true));
    const isActive = async () =>
      (await home.client.ok<{ isActive: boolean }>('GET', `/sensors/${sensor.sensorId}`)).isActive;
    const types = () => receiver.received.map(({ body }) => JSON.parse(body).eventType);

    expect(await isActive()).toBe(false);
    await post();
    await cloud.idle();
    expect(await isActive()).toBe(true);
    await pass(4);
    await post();
    await cloud.idle();
    await pass(4);
    expect(await isActive()).toBe(true);
    const seen = () => home.client.ok<{ presence: boolean | null }>('GET', `/sensors/${sensor.sensorId}/status`);
    expect((await seen()).presence).toBe(true);
    await pass(3);
    expect([await isActive(), (await seen()).presence]).toEqual([false, null]);
    await pass(3);
    await receiver.until(2);
    expect(types()).toEqual([8, 7]);
    await post();
    await receiver.until(3);
    expect(types()).toEqual([8, 7, 8]);
  });

  test('a sensor becomes inactive even if a sweep runs only every three minutes', async () => {
    const home = await createHome(await adminOf(cloud.url), 'larch', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, presence(true));
    await cloud.idle();
    await pass(12, 3);
    expect(await home.client.ok('GET', `/sensors/${sensor.sensorId}`)).toMatchObject({ isActive: false });
  });

  test('a sensor stays active as long as its device sends requests of any kind', async () => {
    const home = await createHome(await adminOf(cloud.url), 'rowan', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    const activations = await startReceiver();
    await createAlarm(home.client, activations.url, 'sensor_active', { format: 'custom1' });
    const call = async () => {
      await sensor.device.ok('GET', `/devices/${sensor.sensorId}/config`);
      await cloud.idle();
    };
    const isActive = async () =>
      (await home.client.ok<{ isActive: boolean }>('GET', `/sensors/${sensor.sensorId}`)).isActive;
    for (let turn = 1; turn <= 2; turn++) {
      expect(await isActive()).toBe(false);
      await call();
      expect(await isActive()).toBe(true);
      await activations.until(turn);
      await pass(4);
      await call();
      await pass(4);
      expect(await isActive()).toBe(true);
      await pass(3);
    }
    await pass(3);
    expect(activations.received.length).toBe(2);
    await activations.stop();
  });

  test('a sensor stays active during a service outage, however long', async () => {
    const home = await createHome(await adminOf(cloud.url), 'ash', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, presence(true));
    await cloud.idle();
    // No sweep ran for six hours, so the service was down.
    clock.skipTo(clock.now() + 360 * MINUTE);
    await pass(4);
    const isActive = async () =>
      (await home.client.ok<{ isActive: boolean }>('GET', `/sensors/${sensor.sensorId}`)).isActive;
    expect(await isActive()).toBe(true);
    await pass(3);
    expect(await isActive()).toBe(false);
  });
});

describe('sensors that report every ten seconds, with an inactivity limit of 40 s', () => {
  test('sensors stay active while the table is down for 60 s', async () => {
    let passedMs = 0;
    let isDown = false;
    const fail = () => Promise.reject(new TableUnavailable('down'));
    const strictCloud = await startTestCloud({
      clock: { ...systemClock, now: () => Date.now() + passedMs },
      environment: { SENSOR_INACTIVE_AFTER_SECONDS: '40' },
      log: () => {},
      wrap: (runtime) => ({
        ...runtime,
        table: new Proxy(runtime.table, {
          get: (table, call) => (isDown ? fail : table[call as keyof typeof table]),
        }),
      }),
    });
    const home = await createHome(await adminOf(strictCloud.url), 'elm', ALL_PERMISSIONS);
    await createAlarm(home.client, receiver.url, 'sensor_inactive');
    const sensors = await Promise.all(Array.from({ length: 4 }, () => linkSensor(home.client)));
    const report = () =>
      Promise.all(
        sensors.map(({ device, sensorId }) => device.call('POST', `/devices/${sensorId}/messages`, presence(true))),
      );
    const hits = async () =>
      (await home.client.ok<{ total: number }[]>('GET', `/customers/${home.customerId}/rule-hits`))[0]?.total;
    const last = async (seconds: number, reporting = true): Promise<void> => {
      for (let passed = 0; passed < seconds; passed += 5) {
        passedMs += 5_000;
        await strictCloud.sweep();
        if (reporting && passed % 10 === 0) await report();
        await strictCloud.idle();
      }
    };

    await last(15);
    isDown = true;
    await last(60);
    isDown = false;
    // A check from before the outage arrives before the service notices the downtime.
    const checks = sensors.map(({ sensorId }) => ({
      type: 'check_sensor' as const,
      customerId: home.customerId,
      sensorId,
    }));
    await strictCloud.runtime.queues.send(
      'timers',
      checks.map((task) => encodeTask(task)),
    );
    await strictCloud.idle();
    await last(45);
    expect(await hits()).toBe(0);
    await last(50, false);
    expect(await hits()).toBe(4);
    await strictCloud.stop();
  });
});
