import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { randomFrom } from '#lib/local/random.ts';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import { laggingReads } from '../faults/lag.ts';
import { type FaultTable, openNearTable } from '../faults/tables.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, linkSensor } from '../fixtures/home.ts';

const MINUTE = 60_000;
/** Holds back timer tasks before they are queued. */
let gate: Promise<void> | null = null;
let held = 0;
/** The share of pages for which a sweep dies between reading the page and sending the check. */
let deaths = 0;
let died = 0;
const random = randomFrom(11);
const failpoint = (name: Failpoint): void => {
  if (name !== 'sweep.checked' || random() >= deaths) return;
  died += 1;
  throw new Error('the sweep dies');
};
const clock = skippingClock(Date.now());
const { now } = clock;
let cloud: Cloud;
let receiver: Receiver;
let table: FaultTable;
beforeAll(async () => {
  receiver = await startReceiver();
  table = await openNearTable(clock);
  cloud = await startTestCloud({
    clock,
    sweepSeconds: 60,
    log: () => {},
    client: laggingReads(clock, () => true, randomFrom(7))(table.client),
    wrap: (runtime) => {
      const { send } = runtime.queues;
      const late: typeof send = async (queue, messages) => {
        if (queue === 'timers' && gate) {
          held += messages.length;
          await gate;
        }
        return send(queue, messages);
      };
      return { ...runtime, failpoint, queues: { ...runtime.queues, send: late } };
    },
  });
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
  await table.stop();
});

type Sensor = Awaited<ReturnType<typeof linkSensor>>;
const report = async (sensors: readonly Sensor[]): Promise<void> => {
  const body = { type: 4, payload: { presenceDetected: true, timestamp: now() } };
  await Promise.all(sensors.map(({ device, sensorId }) => device.ok('POST', `/devices/${sensorId}/messages`, body)));
};
const furnish = async (name: string, count: number) => {
  const home = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  await createAlarm(home.client, receiver.url, 'sensor_inactive');
  const sensors: Sensor[] = [];
  for (let at = 0; at < count; at++) sensors.push(await linkSensor(home.client));
  return { ...home, sensors };
};
const hitsOf = async (client: Client, customerId: number): Promise<string[]> => {
  const path = `/customers/${customerId}/rule-hits`;
  const [page] = await client.ok<{ data: { sensorId: string }[] }[]>('GET', path);
  return (page?.data ?? []).map(({ sensorId }) => sensorId).toSorted();
};

test.each([
  ['within 8 minutes while reads lag', { home: 'aspen', dying: 0, within: 8 }],
  ['within 12 minutes while reads lag and sweeps die', { home: 'hazel', dying: 0.03, within: 12 }],
])('each offline sensor is reported exactly once %s', async (_, { home, dying, within }) => {
  const { client, customerId, sensors } = await furnish(home, 10);
  [deaths, died] = [dying, 0];
  const lastMinute = new Map(sensors.map(({ sensorId }, at) => [sensorId, at < 4 ? 2 + 2 * at : 99]));
  const reportedAt = new Map<string, number>();
  for (let minute = 0; minute < 10 + within; minute++) {
    clock.skipTo(now() + MINUTE);
    // Reports arrive just before and during a sweep, so the sweep reads states from before these reports.
    const reports = report(sensors.filter(({ sensorId }) => minute <= (lastMinute.get(sensorId) ?? 0)));
    await Promise.all([reports, cloud.sweep()]);
    await cloud.idle();
    for (const id of await hitsOf(client, customerId)) if (!reportedAt.has(id)) reportedAt.set(id, minute);
  }
  const offline = sensors.slice(0, 4).map(({ sensorId }) => sensorId);
  expect([...reportedAt.keys()].toSorted()).toEqual(offline.toSorted());
  expect(await hitsOf(client, customerId)).toEqual(offline.toSorted());
  // The limit is 300 s, plus a quarter because not every report is written, plus a minute until a sweep, plus a minute
  // because lists may lag.
  for (const id of offline) {
    const minutes = (reportedAt.get(id) ?? 0) - (lastMinute.get(id) ?? 0);
    expect(minutes).toBeGreaterThanOrEqual(5);
    expect(minutes).toBeLessThanOrEqual(within);
  }
  expect(died > 3).toBe(dying > 0);
  deaths = 0;
});

test('a sweep that froze does not mark a sensor as inactive if the sensor has reported since', async () => {
  const { client, customerId, sensors } = await furnish('alder', 1);
  await report(sensors);
  await cloud.idle();
  for (let minute = 0; minute < 4; minute++) {
    clock.skipTo(now() + MINUTE);
    await cloud.sweep();
    await cloud.idle();
  }
  let thaw = () => {};
  gate = new Promise((resolve) => {
    thaw = resolve;
  });
  clock.skipTo(now() + 3 * MINUTE);
  const frozen = cloud.sweep();
  await expect.poll(() => held).toBe(1);
  clock.skipTo(now() + MINUTE);
  const reported = now();
  await report(sensors);
  const statusOf = () => client.ok<{ lastSeen: number }>('GET', `/sensors/${sensors[0]?.sensorId}/status`);
  await expect.poll(async () => (await statusOf()).lastSeen).toBeGreaterThanOrEqual(reported);
  clock.skipTo(now() + 2 * MINUTE);
  thaw();
  gate = null;
  await frozen;
  await cloud.idle();
  expect(await hitsOf(client, customerId)).toEqual([]);
  for (const { sensorId } of sensors)
    expect(await client.ok('GET', `/sensors/${sensorId}`)).toMatchObject({ isActive: true });
});
