import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { signatureHeaders } from '#shared/delivery/sign.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import { FeedbackPayload } from '#shared/domain/event/feedback-delivery.ts';
import { QueueUnavailable } from '#shared/queue/unavailable.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const SECRET = 'the-secret-of-the-maker';
let cloud: Cloud;
let maker: Receiver;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
let status = 200;
let isQueueUnavailable = false;
const clock = skippingClock(Date.now());
beforeAll(async () => {
  maker = await startReceiver((_, response) => void response.writeHead(status).end());
  cloud = await startTestCloud({
    clock,
    environment: { MAKER_A_FEEDBACK_URL: maker.url, RETRY_SCHEDULE: '0,0' },
    wrap: (runtime) => ({
      ...runtime,
      queues: {
        ...runtime.queues,
        send: async (...args) => {
          if (isQueueUnavailable) throw new QueueUnavailable('unavailable');
          await runtime.queues.send(...args);
        },
      },
    }),
  });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'elm', ALL_PERMISSIONS);
});
afterAll(() => Promise.all([cloud.stop(), maker.stop()]));

const opinion = { referenceDate: 1_795_240_868_348, reason: 'dog', classification: 'FALSE_POSITIVE' };
const giveFeedback = (sensorId: string, more: object = {}) =>
  home.client.ok<Feedback>('POST', `/sensors/${sensorId}/feedback`, { ...opinion, ...more });
/** Returns the requests the maker got since the last call. */
const newRequests = async () => {
  await cloud.idle();
  return maker.received.splice(0).map(({ headers, body }) => ({ headers, text: body, ...JSON.parse(body) }));
};
const webhookOfMaker = async () => {
  const customers = await admin.ok<{ id: number; name: string }[]>('GET', '/customers');
  const found = customers.filter(({ name }) => name === 'Feedback to maker A');
  expect(found).toHaveLength(1);
  const [page] = await admin.ok<{ data: { id: string }[] }[]>('GET', `/webhooks?customerId=${found[0]?.id}`);
  return { customerId: found[0]?.id, webhookId: page?.data[0]?.id };
};

test('forwards feedback to the maker with the event and a signature', async () => {
  const { sensorId, device } = await linkSensor(home.client);
  const fall = fallMessage('calling', clock.now());
  await device.ok('POST', `/devices/${sensorId}/messages`, fall);
  await cloud.idle();
  const [events] = await home.client.ok<{ data: { uuid: string; type: string }[] }[]>(
    'GET',
    `/sensors/${sensorId}/events`,
  );
  const event = events?.data.find(({ type }) => type === 'fall');
  await giveFeedback(sensorId);
  await newRequests();
  await admin.ok('PUT', `/webhooks/${(await webhookOfMaker()).webhookId}/secret`, { secretKey: SECRET });
  const created = await giveFeedback(sensorId, { eventId: event?.uuid });
  expect(created.forwardToMakerA).toBe(true);
  const [{ headers, text, feedback, sensor, event: about }, ...more] = await newRequests();
  expect(more).toEqual([]);
  expect(FeedbackPayload.parse(JSON.parse(text)).feedback).toEqual(created);
  expect([feedback, sensor]).toEqual([created, { id: sensorId, deviceId: sensorId }]);
  expect(about).toMatchObject({ uuid: event?.uuid, type: 'fall', action: 'fall_detected' });
  const id = String(headers['webhook-id']);
  const timestampSeconds = Number(headers['webhook-timestamp']);
  const signed = signatureHeaders({ id, timestampSeconds, body: text, secrets: [SECRET], primary: SECRET });
  expect(headers).toMatchObject({
    'webhook-signature': signed['webhook-signature'],
    'x-service-cloud-signature': signed['X-Service-Cloud-Signature'],
  });
  expect(headers.authorization).toBeUndefined();
});

test('does not forward feedback if optimization is disabled', async () => {
  const a = await linkSensor(home.client);
  const b = await linkSensor(home.client, 'maker_b');
  const path = `/sensors/${a.sensorId}/maker_a/config/basic`;
  await home.client.ok('PUT', path, { ...(await home.client.ok('GET', path)), optimizationEnabled: false });
  for (const { sensorId } of [a, b]) expect((await giveFeedback(sensorId)).forwardToMakerA).toBe(false);
  expect(await newRequests()).toEqual([]);
});

test('retries feedback with the same id and body', async () => {
  const { sensorId } = await linkSensor(home.client);
  status = 500;
  await giveFeedback(sensorId);
  const tries = await newRequests();
  expect(tries).toHaveLength(2);
  expect(new Set(tries.map(({ headers, text }) => `${headers['webhook-id']} ${text}`)).size).toBe(1);
  expect(cloud.valuesOf('FeedbackFailed')).toEqual([1]);
  status = 200;
  const { customerId, webhookId: webhook } = await webhookOfMaker();
  // No event is created, because the sensor does not belong to the maker's customer.
  expect(await cloud.runtime.table.queryAll({ pk: `C#${customerId}#S#${sensorId}` })).toEqual([]);
  const [failed] = await admin.ok<{ data: { id: string }[] }[]>('GET', `/webhooks/${webhook}/deliveries?state=failed`);
  await admin.ok('POST', `/webhooks/${webhook}/deliveries/${failed?.data[0]?.id}/redeliver`);
  const [resent] = await newRequests();
  expect([resent?.text, resent?.headers['webhook-id']]).toEqual([tries[0]?.text, tries[0]?.headers['webhook-id']]);
});

test('forwards feedback with the next sweep if the queue was unavailable', async () => {
  const { sensorId } = await linkSensor(home.client);
  isQueueUnavailable = true;
  const created = await giveFeedback(sensorId);
  isQueueUnavailable = false;
  expect(await newRequests()).toEqual([]);
  clock.skipTo(clock.now() + 60_000);
  await cloud.sweep();
  expect((await newRequests()).map(({ feedback }) => feedback)).toEqual([created]);
});

test('all feedback uses one webhook, even after the URL changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'feedback-'));
  const elsewhere = await startReceiver();
  const run = async (url: string, count: number): Promise<number> => {
    const server = await startTestCloud({ dataDir: folder, environment: { MAKER_A_FEEDBACK_URL: url } });
    const root = await adminOf(server.url);
    const name = `home-${count}`;
    const { client } = await createHome(root, name, ALL_PERMISSIONS);
    const { sensorId } = await linkSensor(client);
    const give = () => client.ok<Feedback>('POST', `/sensors/${sensorId}/feedback`, opinion);
    const answers = await Promise.all(Array.from({ length: count }, give));
    expect(answers.every(({ forwardToMakerA }) => forwardToMakerA)).toBe(true);
    await server.idle();
    const customers = await root.ok<{ name: string }[]>('GET', '/customers');
    await server.stop();
    return customers.filter((customer) => !customer.name.startsWith('home')).length;
  };
  expect([await run(maker.url, 3), await run(elsewhere.url, 2)]).toEqual([1, 1]);
  expect([maker.received.splice(0).length, elsewhere.received.length]).toEqual([3, 2]);
  await elsewhere.stop();
  rmSync(folder, { recursive: true, force: true });
});
