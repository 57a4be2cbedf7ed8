import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { logTo } from '#shared/observability/log.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { createDevice } from '../fixtures/mqtt.ts';

type Line = {
  message: string;
  consumer?: string;
  requestId?: string;
  uuid?: string;
  deliveryId?: string;
  deliveries?: string[];
};
let lines: Line[] = [];
/** The places that fail once. */
const failing = new Set<Failpoint | 'events'>();
const failOnce = (where: Failpoint | 'events'): void => {
  if (failing.delete(where)) throw new Error(`failed at ${where}`);
};
const faulty = (runtime: Runtime): Runtime => ({
  ...runtime,
  failpoint: failOnce,
  queues: {
    ...runtime.queues,
    send: async (queue, messages) => {
      if (queue === 'events') failOnce(queue);
      await runtime.queues.send(queue, messages);
    },
  },
});

const clock = skippingClock(Date.now());
let [status, cloud, receiver]: [number, Cloud, Receiver] = [200, undefined as never, undefined as never];
let client: Client;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
beforeAll(async () => {
  receiver = await startReceiver((_, response) => void response.writeHead(status).end());
  const log = logTo((line) => lines.push(JSON.parse(line)));
  // Attempts are further apart than the longest queue delay, so the sweep has to find them.
  const environment = {
    RETRY_SCHEDULE: '0,2000,2000',
    SENSOR_INACTIVE_AFTER_SECONDS: '86400',
    UNNOTIFIED_AFTER_SECONDS: '3600',
  };
  cloud = await startTestCloud({ clock, log, wrap: faulty, mqttPort: 0, environment });
  ({ client } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS));
  sensor = await linkSensor(client);
  await createAlarm(client, receiver.url);
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));
beforeEach(async () => {
  await cloud.idle();
  [lines, status] = [[], 200];
});

let start = clock.now() - 3_600_000;
/** Creates the start of a new fall. Its later states do not matter here. */
const fall = () => {
  start += 60_000;
  return { ...fallMessage('calling', start), uuid: crypto.randomUUID() };
};
const post = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${cloud.url}/devices/${sensor.sensorId}/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sensor.deviceToken}`, ...headers },
    body: JSON.stringify(body),
  });
const idOf = ({ headers }: Response): string => headers.get('X-Request-Id') ?? '';
const workerLines = () => lines.filter(({ consumer }) => consumer === 'process' || consumer === 'deliver');
const ids = ({ requestId, uuid }: Line) => ({ requestId, uuid });

test('every log line about a failing fall has the request id and message uuid', async () => {
  const message = fall();
  failing.add('process.decided').add('deliver.claimed');
  status = 500;
  const response = await post(message);
  expect(response.status).toBe(202);
  await cloud.idle();
  clock.skipTo(clock.now() + 60_000);
  await receiver.until(receiver.received.length + 1);
  await cloud.idle();
  status = 200;
  clock.skipTo(clock.now() + 3_000_000);
  await cloud.sweep();
  await cloud.idle();
  const logged = workerLines();
  expect(logged.map(({ consumer, message: what }) => `${consumer}: ${what}`).toSorted()).toEqual([
    'deliver: a task failed',
    'deliver: an attempt was made',
    'deliver: an attempt was made',
    'process: a decision was applied',
    'process: a task failed',
  ]);
  expect(logged.map(ids)).toEqual(logged.map(() => ({ requestId: idOf(response), uuid: message.uuid })));
  const [deliveryId] = logged.flatMap(({ deliveries = [] }) => deliveries);
  const ofDelivery = logged.filter(({ consumer }) => consumer === 'deliver');
  expect(ofDelivery.map((line) => line.deliveryId)).toEqual([deliveryId, deliveryId, deliveryId]);
  expect(lines).toContainEqual(expect.objectContaining({ consumer: 'sweep', deliveryIds: [deliveryId] }));
});

test('a request that could not be accepted is logged with its request id and message uuid', async () => {
  const message = fall();
  failing.add('events');
  const response = await post(message);
  expect(response.status).toBe(503);
  expect(lines.map(ids)).toEqual([{ requestId: idOf(response), uuid: message.uuid }]);
});

test("the caller's X-Request-Id is replaced with a generated id", async () => {
  const response = await post(fall(), { 'X-Request-Id': 'mine' });
  await cloud.idle();
  expect(idOf(response)).not.toBe('mine');
  expect(workerLines().map(({ requestId }) => requestId)).toEqual([idOf(response), idOf(response)]);
  expect(JSON.stringify(lines)).not.toContain('mine');
});

test('falls processed together keep separate ids', async () => {
  failing.add('process.judged');
  const messages = [fall(), fall(), fall()];
  const answers: Response[] = [];
  for (const message of messages) answers.push(await post(message));
  await cloud.idle();
  const own = messages.map(({ uuid }, at) => ({ requestId: answers[at] && idOf(answers[at]), uuid }));
  const attempts = lines.filter(({ message }) => message === 'an attempt was made').map(ids);
  expect(attempts).toHaveLength(own.length);
  expect(attempts).toEqual(expect.arrayContaining(own));
});

test('a fall over MQTT keeps one request id from ingestion onward', async () => {
  const device = await createDevice(cloud.mqttUrl ?? '', sensor);
  const message = fall();
  await device.say(message);
  await cloud.idle();
  await device.end();
  const [first] = workerLines();
  expect(first?.requestId).toEqual(expect.any(String));
  expect(workerLines().map(ids)).toEqual(
    workerLines().map(() => ({ requestId: first?.requestId, uuid: message.uuid })),
  );
});
