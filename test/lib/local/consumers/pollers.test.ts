import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, expect, test } from 'vitest';
import { type Clock, type VirtualClock, virtualClock } from '#lib/local/clock.ts';
import { type PollOptions, poll } from '#lib/local/consumers/pollers.ts';
import { createQueue } from '#lib/local/queue/queue.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))));

const EMPTY = { visible: 0, inFlight: 0, delayed: 0, blocked: 0 };
const ACCOUNT = '000000000000';
const START = Date.UTC(2026, 10, 20, 8, 30, 15, 678);

const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
const stopAfterwards = (clock: VirtualClock, stop: () => Promise<void>) =>
  stops.push(async () => {
    const stopped = stop();
    await clock.advance(600_000);
    await stopped;
  });

/**
 * A poller for a queue with a 60 s visibility timeout. By default, it runs 2 batches of 10 at once, with a timeout of
 * 10 s.
 */
const setUp = (more: Partial<PollOptions>, handler: PollOptions['handler']) => {
  const clock = virtualClock(START);
  const errors: string[] = [];
  const onError = (error: unknown, requestId: string) => errors.push(`${requestId}: ${error}`);
  const deadLetterQueue = createQueue({ name: 'dead', visibilitySeconds: 60, maxReceiveCount: 1, clock });
  const queue = createQueue({ name: 'tasks', visibilitySeconds: 60, maxReceiveCount: 5, deadLetterQueue, clock });
  const limits = { batchSize: 10, concurrency: 2, timeoutSeconds: 10, reportFailures: true } as const;
  const host = { clock, onError, newId: () => 'run' };
  const poller = poll({ queue, functionName: 'work', handler, ...limits, ...host, ...more });
  stopAfterwards(clock, poller.stop);
  const send = async (...texts: string[]) => {
    await clock.advance(0); // makes the poller wait, so it receives all of them in one batch
    for (const body of texts) queue.send({ body });
  };
  return { clock, errors, queue, deadLetterQueue, poller, send };
};
const bodies = (event: SQSEvent) => event.Records.map(({ body }) => body);
const itemFailure = ({ messageId }: SQSRecord) => ({ itemIdentifier: messageId });
const failing = (event: SQSEvent, failed: string): SQSBatchResponse => ({
  batchItemFailures: event.Records.filter(({ body }) => body === failed).map(itemFailure),
});

test('poll passes the handler a batch in the SQS format and a Lambda context', async () => {
  const calls: [SQSEvent, Context, number][] = [];
  const { clock, queue, poller } = setUp({}, async (event, context) => {
    calls.push([event, context, context.getRemainingTimeInMillis()]);
    await pause(clock, 4_000);
    calls.push([event, context, context.getRemainingTimeInMillis()]);
  });
  queue.send({ body: '{"a":1}', groupId: 'customer-1' });
  await clock.advance(4_000);
  await poller.idle();
  const times = { SentTimestamp: `${START}`, ApproximateFirstReceiveTimestamp: `${START}` };
  const record = {
    messageId: expect.any(String),
    receiptHandle: expect.any(String),
    body: '{"a":1}',
    attributes: { ...times, ApproximateReceiveCount: '1', MessageGroupId: 'customer-1', SenderId: ACCOUNT },
    messageAttributes: {},
    md5OfBody: 'bb6cb5c68df4652941caf652a366f2d8',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:tasks',
    awsRegion: 'eu-central-1',
  };
  expect(calls[0]?.[0]).toEqual({ Records: [record] });
  expect(calls[0]?.[1]).toMatchObject({ functionName: 'work', awsRequestId: expect.any(String) });
  expect(calls.map(([, , remaining]) => remaining)).toEqual([10_000, 6_000]);
});

test.each([undefined, { batchItemFailures: [] }])('poll removes the batch after the response %j', async (answer) => {
  const { clock, errors, queue, send } = setUp({}, async () => answer);
  await send('a', 'b');
  await clock.advance(120_000);
  expect(queue.stats()).toMatchObject(EMPTY);
  expect(errors).toEqual([]);
});

test('poll removes all but the failed messages, which reappear after the visibility timeout', async () => {
  const seen: string[][] = [];
  const { clock, errors, queue, poller, send } = setUp({}, async (event) => {
    seen.push(bodies(event));
    return seen.length === 1 ? failing(event, 'b') : undefined;
  });
  await send('a', 'b', 'c');
  await poller.idle();
  expect(queue.stats()).toMatchObject({ ...EMPTY, inFlight: 1 });
  await clock.advance(59_999);
  expect(seen).toEqual([['a', 'b', 'c']]);
  await clock.advance(1);
  expect(seen).toEqual([['a', 'b', 'c'], ['b']]);
  expect(queue.stats()).toMatchObject(EMPTY);
  expect(errors).toEqual([]);
});

const answering = (json: string) => async (): Promise<SQSBatchResponse> => JSON.parse(json);
const wholeBatchFailures: [string, PollOptions['handler'], string][] = [
  ['a rejected promise', async () => Promise.reject(new Error('bug')), 'bug'],
  ['an exception before the first await', () => JSON.parse('early'), 'not valid JSON'],
  ['an identifier that is not in the batch', answering('{"batchItemFailures":[{"itemIdentifier":"x"}]}'), 'batch: x'],
  ['a failure without an identifier', answering('{"batchItemFailures":[{"messageId":"x"}]}'), 'not in the batch'],
  ['a list that is not an array', answering('{"batchItemFailures":{}}'), 'map'],
];
test.each(wholeBatchFailures)(
  'poll keeps the whole batch after %s and reports the error',
  async (_, handler, message) => {
    const { errors, queue, poller, send } = setUp({}, handler);
    await send('a', 'b');
    await poller.idle();
    expect(queue.stats()).toMatchObject({ ...EMPTY, inFlight: 2 });
    expect(errors).toEqual([expect.stringContaining(message)]);
  },
);

test('poll fails a handler that times out, frees the slot and ignores the late result', async () => {
  let calls = 0;
  const { clock, errors, queue, poller, send } = setUp({ concurrency: 1, batchSize: 1 }, () => {
    calls += 1;
    return pause(clock, 30_000);
  });
  await send('a', 'b');
  await clock.advance(9_999);
  expect(calls).toBe(1);
  await clock.advance(1);
  expect(calls).toBe(2);
  await clock.advance(10_000);
  await poller.idle();
  await clock.advance(20_000);
  expect(queue.stats()).toMatchObject({ ...EMPTY, inFlight: 2 });
  expect(errors).toEqual(Array(2).fill('run: Error: timed out after 10 seconds'));
});

test('poll runs at most `concurrency` invocations at once, each with at most `batchSize` messages', async () => {
  let running = 0;
  const seen: [running: number, size: number][] = [];
  const { clock, queue, poller, send } = setUp({ concurrency: 3, batchSize: 2 }, async (event) => {
    seen.push([++running, event.Records.length]);
    await pause(clock, 1_000);
    running -= 1;
  });
  await send(...'abcdefghijklm');
  await clock.advance(3_000);
  await poller.idle();
  expect(Math.max(...seen.map(([count]) => count))).toBe(3);
  expect(seen.map(([, size]) => size)).toEqual([2, 2, 2, 2, 2, 2, 1]);
  expect(queue.stats()).toMatchObject(EMPTY);
});

test('poll starts nothing after stop, which waits for running invocations and removals', async () => {
  const seen: string[][] = [];
  const { clock, queue, poller, send } = setUp({ concurrency: 1, batchSize: 1 }, async (event) => {
    seen.push(bodies(event));
    await pause(clock, 1_000);
  });
  await send('a', 'b');
  await clock.advance(0);
  let stopped = false;
  const stopping = poller.stop().then(() => (stopped = true));
  await clock.advance(999);
  expect(stopped).toBe(false);
  await clock.advance(1);
  await stopping;
  await send('c');
  await clock.advance(120_000);
  await poller.idle();
  expect(seen).toEqual([['a']]);
  expect(queue.stats()).toMatchObject({ ...EMPTY, visible: 2 });
});

test('poll moves a poison message to the dead-letter queue without delaying other messages', async () => {
  const seen: string[] = [];
  const { clock, queue, deadLetterQueue, send } = setUp({}, async (event) => {
    seen.push(...bodies(event));
    return failing(event, 'poison');
  });
  await send('poison', 'a', 'b');
  await clock.advance(5 * 60_000);
  expect(seen).toEqual(['poison', 'a', 'b', 'poison', 'poison', 'poison', 'poison']);
  expect(queue.stats()).toMatchObject(EMPTY);
  expect(deadLetterQueue.stats()).toMatchObject({ ...EMPTY, visible: 1 });
});
