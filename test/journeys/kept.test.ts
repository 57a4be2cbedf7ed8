import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { connectError, createDevice } from '../fixtures/mqtt.ts';
import { holdableDisk } from '../fixtures/simulated-disk.ts';

let cloud: Cloud;
let receiver: Receiver;
let client: Client;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
let disk: Awaited<ReturnType<typeof holdableDisk>>;
/** Called before and after each function invocation. */
let onStart: (name: string) => void;
let ended: string[];
/** The number of requests that `deliver` wanted to send. */
let wanted: number;
let folder: string;

beforeEach(async () => {
  [onStart, ended, wanted] = [() => {}, [], 0];
  folder = await mkdtemp(join(tmpdir(), 'kept-'));
  disk = await holdableDisk();
  receiver = await startReceiver();
  cloud = await startTestCloud({
    dataDir: folder,
    mqttPort: 0,
    around: async (name, invocation) => {
      onStart(name);
      return invocation().finally(() => ended.push(name));
    },
    wrap: (runtime) => ({
      ...runtime,
      webhookClient: async () => {
        const { post, ...others } = await runtime.webhookClient();
        return {
          ...others,
          post: (request) => {
            wanted += 1;
            return post(request);
          },
        };
      },
    }),
  });
  ({ client } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS));
  sensor = await linkSensor(client);
  await createAlarm(client, receiver.url);
});
afterEach(async () => {
  disk.release();
  await cloud.stop();
  await receiver.stop();
  await rm(folder, { recursive: true });
});

const post = () =>
  sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));

/** Waits until all other work is done. Returns the names of the calls that got a response while the disk was held. */
const answeredWhileHeld = async (calls: Record<string, () => Promise<unknown>>, areDone: () => boolean) => {
  const early: string[] = [];
  const pending = Object.entries(calls).map(([name, call]) => call().then(() => early.push(name)));
  await eventually(() => expect(areDone()).toBe(true));
  // A response takes a few turns of the event loop.
  for (let turn = 0; turn < 200; turn++) await nextTurn();
  const found = [...early];
  disk.release();
  await Promise.all(pending);
  return found;
};

test('no HTTP response is sent until all writes would survive a power failure', async () => {
  disk.hold();
  const posted = post();
  await disk.reached();
  ended = [];
  const get = (path: string) => () => client.call('GET', path);
  const early = await answeredWhileHeld(
    {
      accepted: () => posted,
      read: get(`/sensors/${sensor.sensorId}`),
      refusal: get('/sensors/maker_a-00000000FFFF'),
      'unknown path': get('/nowhere'),
      'wrong token': () => fetch(`${cloud.url}/users/me`, { headers: { Authorization: 'Bearer wrong' } }),
      export: () => fetch(`${cloud.url}/exports/events-${'0'.repeat(26)}.zip?expires=1&signature=1`),
      metrics: () => fetch(new URL('/metrics', cloud.url)),
      'refusal of the host': () =>
        fetch(new URL('/metrics', cloud.url), { headers: { 'X-Forwarded-For': '192.0.2.1' } }),
      'invalid body': () => sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, 'no message'),
    },
    () => ['sensors', 'server', 'users', 'devices'].every((name) => ended.includes(name)),
  );
  expect([early, (await posted).status]).toEqual([[], 202]);
});

test('no MQTT message is acknowledged until it would survive a power failure', async () => {
  const device = await createDevice(cloud.mqttUrl ?? '', sensor);
  disk.hold();
  const early = await answeredWhileHeld(
    {
      PUBACK: () => device.say(fallMessage('calling', Date.now())),
      CONNACK: () => disk.reached().then(() => connectError(cloud.mqttUrl ?? '', { ...sensor, deviceToken: 'wrong' })),
    },
    () => ended.includes('ingest') && ended.includes('authorizer'),
  );
  expect(early).toEqual([]);
  await device.end();
});

test('no receiver is called until the attempt would survive a power failure', async () => {
  onStart = (name) => {
    if (name === 'deliver') disk.hold();
  };
  const posted = post();
  const early = await answeredWhileHeld({ request: () => receiver.until(1) }, () => wanted === 1);
  expect([early, (await posted).status]).toEqual([[], 202]);
});
