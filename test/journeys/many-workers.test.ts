import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../lib/local/demo/receiver.ts';
import { startTableEngine, type TableEngine } from '../../lib/local/engines.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { startHost } from '../fixtures/host.ts';
import { startSqs } from '../fixtures/sqs-server.ts';

const WORKERS = 4;
const worker = new URL('../fixtures/process-worker.ts', import.meta.url);

let folder: string;
let engine: TableEngine;
let sqs: Awaited<ReturnType<typeof startSqs>>;
let host: Awaited<ReturnType<typeof startHost>>;
let receiver: Receiver;
let home: Awaited<ReturnType<typeof createHome>>;
const workers: ChildProcess[] = [];

/** As many processes of `process` at the same time as in AWS, beside that of the host: one queue, one table. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
  [engine, sqs, receiver] = await Promise.all([
    startTableEngine({ dataDir: ':memory:', onExit: () => {} }),
    startSqs(),
    startReceiver(),
  ]);
  const endpoints = { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint, AWS_ENDPOINT_URL_SQS: sqs.url };
  host = await startHost({ ...endpoints, DATA_DIR: folder, QUOTAS: '{"messagesPerSecond":0}' });
  const urlOf = (name: string) => `${sqs.url}/000000000000/sensor-cloud-${name}`;
  const env = {
    ...{ ...endpoints, AWS_REGION: 'eu-central-1', TABLE_NAME: 'sensor-cloud' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ EVENTS_QUEUE_URL: urlOf('events.fifo'), TIMERS_QUEUE_URL: urlOf('timers') },
    ...{ DELIVERIES_QUEUE_URL: urlOf('deliveries'), RETRIES_QUEUE_URL: urlOf('retries') },
    QUARANTINE_QUEUE_URL: urlOf('quarantine'),
  };
  for (let at = 0; at < WORKERS; at++) workers.push(fork(worker, { env }));
  await Promise.all(workers.map((one) => once(one, 'message')));
  home = await createHome(await adminOf(host.url), 'maple', ALL_PERMISSIONS);
  for (const format of ['full', 'raw'])
    await home.client.ok('POST', '/webhooks', { name: format, url: receiver.url, format, isCustomerHook: true });
}, 60_000);
afterAll(async () => {
  for (const one of workers) one.kill('SIGKILL');
  await host?.end('SIGKILL');
  await Promise.all([sqs?.stop(), receiver?.stop(), engine?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

type Told = { event?: { uuid: string; type: string; action: string; createDate: number; raw: { uuid?: string } } };
const told = () => receiver.received.map(({ body }) => JSON.parse(body) as Told);
const until = async (isDone: () => boolean): Promise<void> => {
  for (let at = receiver.received.length; !isDone(); at++)
    await receiver.until(Math.max(at, receiver.received.length) + 1);
};

describe('several processes over one queue', () => {
  test('judge what a sensor says in its order: each fall has its own bytes, and is told once', async () => {
    const sensor = await linkSensor(home.client);
    const start = Date.now() - 3_600_000;
    const posted: string[] = [];
    // Each fall is over before the next one begins: out of order, `finished` would come without `calling`.
    for (let at = 0; at < 25; at++)
      for (const status of ['calling', 'finished']) {
        const uuid = crypto.randomUUID();
        const message = { ...fallMessage(status, start + at * 10_000), uuid };
        await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
        posted.push(uuid);
      }
    const falls = () => told().flatMap(({ event }) => (event?.type === 'fall' ? [event] : []));
    await until(() => falls().length >= posted.length);
    const path = `/sensors/${sensor.sensorId}/events?perPage=200`;
    const [page] = await home.client.ok<{ data: { uuid: string; type: string; raw: { uuid?: string } }[] }[]>(
      'GET',
      path,
    );
    const kept = (page?.data ?? []).filter(({ type }) => type === 'fall');
    expect(kept.map(({ uuid }) => uuid).toSorted()).toEqual(posted.toSorted());
    expect(kept.every(({ uuid, raw }) => raw.uuid === uuid)).toBe(true);
    expect(
      falls()
        .map(({ uuid }) => uuid)
        .toSorted(),
    ).toEqual(posted.toSorted());
    expect(falls().every(({ uuid, raw }) => raw.uuid === uuid)).toBe(true);
  }, 60_000);

  test('share the work of many sensors', async () => {
    const sensors = await Promise.all(Array.from({ length: 12 }, () => linkSensor(home.client)));
    const before = receiver.received.length;
    const say = (at: number) =>
      Promise.all(
        sensors.map(({ device, sensorId }) =>
          device.ok(
            'POST',
            `/devices/${sensorId}/messages`,
            fallMessage('calling', Date.now() - 1_000_000 + at * 1_000),
          ),
        ),
      );
    for (let at = 0; at < 5; at++) await say(at);
    // Of each fall a Full and a Raw delivery; of the first message of a sensor also that it is active, in Full.
    await receiver.until(before + sensors.length * (5 * 2 + 1));
    const counts = workers.map(async (one) => {
      one.send('how many?');
      const [{ records }] = (await once(one, 'message')) as [{ records: number }];
      return records;
    });
    expect((await Promise.all(counts)).filter((records) => records > 0).length).toBeGreaterThan(1);
  }, 60_000);
});
