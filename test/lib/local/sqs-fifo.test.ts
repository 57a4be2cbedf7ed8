import { SendMessageBatchCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import { poll } from '#lib/local/consumers/pollers.ts';
import { ensureQueues, sqsSource } from '#lib/local/consumers/sqs.ts';
import { MAX_RECEIVES } from '#shared/queue/consumer.ts';
import { startSqs } from '#test/fixtures/sqs-server.ts';

let sqs: Awaited<ReturnType<typeof startSqs>>;
let created: Awaited<ReturnType<typeof ensureQueues>>;
beforeAll(async () => {
  sqs = await startSqs();
  created = await ensureQueues(sqs.url, (name) => name === 'events');
});
afterAll(() => sqs.stop());
beforeEach(() => sqs.queue('events.fifo').purge());

const limits = {
  clock: systemClock,
  timeoutSeconds: 60,
  onError: (error: unknown) => expect(error).toBeUndefined(),
};
let sent = 0;
const send = async (...texts: string[]) => {
  const Entries = texts.map((MessageBody, index) => {
    sent += 1;
    const ids = { MessageGroupId: MessageBody.slice(0, 1), MessageDeduplicationId: String(sent) };
    return { Id: String(index), MessageBody, ...ids };
  });
  await created.client.send(new SendMessageBatchCommand({ QueueUrl: created.urls.events, Entries }));
};
const openSource = () => sqsSource({ client: created.client, url: created.urls.events, name: 'events', ...limits });
const bodies = ({ Records }: SQSEvent) => Records.map(({ body }) => body);
const pollWith = (batchSize: number, concurrency: number, handler: Parameters<typeof poll>[0]['handler']) => {
  const { source, close } = openSource();
  const options = { ...limits, queue: source, functionName: 'process', batchSize, concurrency, handler };
  const poller = poll({ ...options, reportFailures: true });
  return async () => {
    await poller.stop();
    await close();
  };
};

test('ensureQueues creates standard or high-throughput FIFO queues with 14 days of retention', () => {
  const fifo = { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };
  const retention = { MessageRetentionPeriod: '1209600' };
  const redriveTo = (name: string) => ({
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: `arn:aws:sqs:eu-central-1:000000000000:sensor-cloud-${name}`,
      maxReceiveCount: String(MAX_RECEIVES),
    }),
  });
  const visibility = { VisibilityTimeout: expect.any(String) };
  expect(created.urls.events).toMatch(/[/]sensor-cloud-events[.]fifo$/);
  expect(created.urls.retries).toMatch(/[/]sensor-cloud-retries$/);
  expect(sqs.attributes('events.fifo')).toEqual({
    ...fifo,
    ...retention,
    ...visibility,
    ...redriveTo('events-dead.fifo'),
  });
  expect(sqs.attributes('events-dead.fifo')).toEqual({ ...fifo, ...retention });
  expect(sqs.attributes('retries')).toEqual({ ...retention, ...visibility, ...redriveTo('retries-dead') });
  expect(sqs.attributes('retries-dead')).toEqual(retention);
});

test('an SQS FIFO queue delivers groups in order, keeps failed messages, and deletes processed ones', async () => {
  const queue = sqs.queue('events.fifo');
  const seen: SQSEvent[] = [];
  await send('a1', 'b1', 'a2', 'a3');
  const isDone = Promise.withResolvers<void>();
  const stop = pollWith(10, 2, async (event) => {
    seen.push(event);
    isDone.resolve();
    const failed = event.Records.filter(({ body }) => ['a2', 'a3'].includes(body));
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  await isDone.promise;
  await stop();
  expect(seen.map(bodies)).toEqual([['a1', 'b1', 'a2', 'a3']]);
  expect(seen[0]?.Records[0]?.attributes).toMatchObject({
    MessageGroupId: 'a',
    MessageDeduplicationId: expect.any(String),
    SequenceNumber: expect.stringMatching(/^[0-9]{20}$/),
  });
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 2 });
});

test('an SQS FIFO queue is asked only for messages that can be processed now', async () => {
  const queue = sqs.queue('events.fifo');
  const receives = vi.spyOn(queue, 'receive');
  const working = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hanging = Promise.withResolvers<void>();
  await send('a1', 'a2', 'b1', 'c1', 'c2');
  let calls = 0;
  const stop = pollWith(1, 2, async () => {
    working[calls]?.resolve();
    calls += 1;
    await hanging.promise;
  });
  await Promise.all(working.map(({ promise }) => promise));
  expect(queue.stats()).toMatchObject({ visible: 3, inFlight: 2 });
  const requests = receives.mock.calls.length;
  // A poller without a free slot requests nothing: a request in progress would have received one of these.
  await send('d1');
  await send('d2');
  expect(receives).toHaveBeenCalledTimes(requests);
  expect(receives.mock.calls.every(([max]) => max === 1)).toBe(true);
  const stopped = stop();
  hanging.resolve();
  await stopped;
  expect(queue.stats()).toMatchObject({ visible: 5, inFlight: 0 });
  receives.mockRestore();
});

test('an SQS source receives only on demand, and changeVisibility returns a message at once', async () => {
  const queue = sqs.queue('events.fifo');
  await send('a1', 'a2');
  const { source, close } = openSource();
  expect(source.receive(1)).toEqual([]);
  expect(queue.stats()).toMatchObject({ visible: 2, inFlight: 0 });
  await source.waitForMessage();
  const [first] = source.receive(1);
  expect(first?.body).toBe('a1');
  expect(queue.stats()).toMatchObject({ visible: 1, blocked: 1, inFlight: 1 });
  await source.changeVisibility(first?.receiptHandle ?? '', 0);
  expect(queue.stats()).toMatchObject({ visible: 2, blocked: 0, inFlight: 0 });
  await expect(source.changeVisibility('unknown', 0)).rejects.toThrow();
  await close();
});

test('a message move task redrives a FIFO dead-letter queue at an SQS endpoint', async () => {
  const queue = sqs.queue('events.fifo');
  await send('a1', 'a2');
  for (let i = 0; i <= MAX_RECEIVES; i += 1)
    for (const { receiptHandle } of queue.receive(10)) queue.changeVisibility(receiptHandle, 0);
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 0 });
  const SourceArn = 'arn:aws:sqs:eu-central-1:000000000000:sensor-cloud-events-dead.fifo';
  await created.client.send(new StartMessageMoveTaskCommand({ SourceArn }));
  expect(queue.receive(10).map(({ body }) => body)).toEqual(['a1', 'a2']);
});
