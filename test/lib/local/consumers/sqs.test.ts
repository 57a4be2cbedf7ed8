import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { systemClock, virtualClock } from '#lib/local/clock.ts';
import { poll } from '#lib/local/consumers/pollers.ts';
import { createPrefetch } from '#lib/local/consumers/prefetch.ts';
import { ensureQueues, sqsSource } from '#lib/local/consumers/sqs.ts';
import type { Message } from '#lib/local/message.ts';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { startSqs } from '#test/fixtures/sqs-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
let sqs: Awaited<ReturnType<typeof startSqs>>;
beforeAll(async () => {
  sqs = await startSqs();
});
afterAll(() => sqs.stop());

const messageOf = (messageId: string, MessageGroupId: string): Message => ({
  messageId,
  receiptHandle: messageId,
  body: '{}',
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    ApproximateFirstReceiveTimestamp: '0',
    MessageGroupId,
  },
});

describe('prefetching from a queue', () => {
  test('the prefetch alternates between groups, skips full ones, and drops messages held too long', async () => {
    const clock = virtualClock(0);
    const prefetch = createPrefetch(clock, 60);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) prefetch.add(messageOf(name, name.slice(0, 1)));
    const ids = (max: number, full = '') =>
      prefetch.receive(max, (group) => group === full).map((message) => message.messageId);
    expect(ids(2)).toEqual(['a1', 'b1']);
    expect(ids(9, 'a')).toEqual(['c1']);
    await clock.advance(59_000);
    prefetch.add(messageOf('b2', 'b'));
    expect(ids(1)).toEqual(['a2']);
    await clock.advance(1_000);
    expect(ids(9)).toEqual(['b2']);
    expect(prefetch.stats()).toEqual({ visible: 0 });
  });

  test('a full prefetch removes the newest message in the largest group', () => {
    const prefetch = createPrefetch(virtualClock(0), 60, 3);
    const removed = ['a1', 'a2', 'a3', 'a4', 'b1'].map(
      (name) => prefetch.add(messageOf(name, name.slice(0, 1)))?.messageId,
    );
    expect(removed).toEqual([undefined, undefined, undefined, 'a4', 'a3']);
    expect(prefetch.receive(9).map((message) => message.messageId)).toEqual(['a1', 'b1', 'a2']);
  });
});

describe('a queue at an SQS endpoint', () => {
  test('deletes each processed message, limits messages per group, and returns the rest', async () => {
    const { client, urls } = await ensureQueues(sqs.url);
    const queue = sqs.queue('retries');
    for (const body of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.send({ body, groupId: 'a' });
    queue.send({ body: 'b1', groupId: 'b' });
    const limits = {
      clock: systemClock,
      timeoutSeconds: 60,
      onError: (error: unknown) => expect(error).toBeUndefined(),
    };
    const { source, close } = sqsSource({ client, url: urls.retries, name: 'retries', ...limits, maxHeld: 4 });
    const hanging = Promise.withResolvers<void>();
    const seen: string[] = [];
    const isDone = Promise.withResolvers<void>();
    const poller = poll({
      ...limits,
      queue: source,
      functionName: 'deliver',
      batchSize: 10,
      concurrency: 10,
      ofCustomer: 2,
      reportFailures: true,
      handler: async ({ Records }) => {
        expect(Records).toHaveLength(1);
        const [{ body } = { body: '' }] = Records;
        seen.push(body);
        if (body === 'b1') return isDone.resolve();
        await hanging.promise;
      },
    });
    await isDone.promise;
    while (queue.stats().inFlight + queue.stats().visible > 5) await new Promise(setImmediate);
    expect(seen.toSorted()).toEqual(['a1', 'a2', 'b1']);
    const stopped = poller.stop();
    hanging.resolve();
    await stopped;
    await close();
    // Three are done, two exceeded the limit and reappear later, and the last one is visible again.
    expect(seen).toHaveLength(3);
    expect(queue.stats()).toMatchObject({ visible: 1, inFlight: 2, delayed: 0 });
    queue.purge();
  });

  test("delivers a healthy customer's alarm despite receivers that hang", async () => {
    const open: ServerResponse[] = [];
    let isOver = false;
    const slow = await startReceiver((_, response) => (isOver ? response.end() : open.push(response)));
    const healthy = await startReceiver();
    const cloud = await startTestCloud({ queueEndpoint: sqs.url });
    cleanUps.push(slow.stop, healthy.stop, cloud.stop, () => {
      isOver = true;
      for (const response of open) response.end();
    });
    const admin = await adminOf(cloud.url);
    const slowHome = await createHome(admin, 'slow', ALL_PERMISSIONS);
    const healthyHome = await createHome(admin, 'healthy', ALL_PERMISSIONS);
    await createAlarm(slowHome.client, slow.url);
    await createAlarm(healthyHome.client, healthy.url);
    const fallOf = ({ device, sensorId }: Awaited<ReturnType<typeof linkSensor>>) =>
      device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
    const sensor = await linkSensor(healthyHome.client);
    const others = await Promise.all(Array.from({ length: 8 }, () => linkSensor(slowHome.client)));
    await Promise.all(others.map(fallOf));
    await slow.until(SLOTS_PER_WEBHOOK);
    await fallOf(sensor);
    await healthy.until(1);
    expect(open.filter(({ destroyed }) => destroyed)).toHaveLength(0);
  });
});
