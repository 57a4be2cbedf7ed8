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
/** Where something fails once. */
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
  // Attempts are further apart than a queue can wait: the sweep finds it.
  const environment = { RETRY_SCHEDULE: '0,2000,2000', SENSOR_INACTIVE_AFTER_SECONDS: '86400' };
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
/** The start of a fall of its own: what follows from it in time is another story. */
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
const ofWays = () => lines.filter(({ consumer }) => consumer === 'process' || consumer === 'deliver');
const ids = ({ requestId, uuid }: Line) => ({ requestId, uuid });

test('each line of a fall that fails everywhere on its way has the id of its call and the uuid of its message', async () => {
  const message = fall();
  failing.add('process.decided').add('deliver.claimed');
  status = 500;
  const answer = await post(message);
  expect(answer.status).toBe(202);
  await cloud.idle();
  clock.skipTo(clock.now() + 60_000);
  await receiver.until(receiver.received.length + 1);
  await cloud.idle();
  status = 200;
  clock.skipTo(clock.now() + 3_000_000);
  await cloud.sweep();
  await cloud.idle();
  const told = ofWays();
  expect(told.map(({ consumer, message: what }) => `${consumer}: ${what}`).toSorted()).toEqual([
    'deliver: a task failed',
    'deliver: an attempt was made',
    'deliver: an attempt was made',
    'process: a decision was applied',
    'process: a task failed',
  ]);
  expect(told.map(ids)).toEqual(told.map(() => ({ requestId: idOf(answer), uuid: message.uuid })));
  const [deliveryId] = told.flatMap(({ deliveries = [] }) => deliveries);
  const ofDelivery = told.filter(({ consumer }) => consumer === 'deliver');
  expect(ofDelivery.map((line) => line.deliveryId)).toEqual([deliveryId, deliveryId, deliveryId]);
  expect(lines).toContainEqual(expect.objectContaining({ consumer: 'sweep', deliveryIds: [deliveryId] }));
});

test('the line of a call that could not be accepted has both ids too', async () => {
  const message = fall();
  failing.add('events');
  const answer = await post(message);
  expect(answer.status).toBe(503);
  expect(lines.map(ids)).toEqual([{ requestId: idOf(answer), uuid: message.uuid }]);
});

test('an X-Request-Id of the caller is none of ours: the answer and the lines have one that the service drew', async () => {
  const answer = await post(fall(), { 'X-Request-Id': 'mine' });
  await cloud.idle();
  expect(idOf(answer)).not.toBe('mine');
  expect(ofWays().map(({ requestId }) => requestId)).toEqual([idOf(answer), idOf(answer)]);
  expect(JSON.stringify(lines)).not.toContain('mine');
});

test('falls that are judged together keep each its own ids', async () => {
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

test('a fall over MQTT, which no HTTP call brought, has one id from its ingestion on', async () => {
  const device = await createDevice(cloud.mqttUrl ?? '', sensor);
  const message = fall();
  await device.say(message);
  await cloud.idle();
  await device.end();
  const [first] = ofWays();
  expect(first?.requestId).toEqual(expect.any(String));
  expect(ofWays().map(ids)).toEqual(ofWays().map(() => ({ requestId: first?.requestId, uuid: message.uuid })));
});
