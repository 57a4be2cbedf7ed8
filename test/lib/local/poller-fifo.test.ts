import type { SQSEvent } from 'aws-lambda';
import { afterEach, expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { type PollOptions, poll } from '#lib/local/consumers/pollers.ts';
import { createQueue } from '#lib/local/queue/queue.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))));

/** A poller for a FIFO queue with a 60 s visibility timeout. A message's group is the first character. */
const setUp = (more: Partial<PollOptions>, handler: PollOptions['handler']) => {
  const clock = virtualClock(1_800_000_000_000);
  const limits = { visibilitySeconds: 60, maxReceiveCount: 2, clock, fifo: true } as const;
  const deadLetterQueue = createQueue({ name: 'calls-dead', ...limits });
  const queue = createQueue({ name: 'calls', ...limits, deadLetterQueue });
  const onError = (error: unknown) => expect.unreachable(String(error));
  const poller = poll({
    queue,
    functionName: 'process',
    handler,
    batchSize: 10,
    concurrency: 2,
    timeoutSeconds: 10,
    reportFailures: true,
    clock,
    onError,
    ...more,
  });
  stops.push(poller.stop);
  const send = async (...texts: string[]) => {
    await clock.advance(0); // makes the poller wait, so it receives all of them in one batch
    for (const body of texts) queue.send({ body, groupId: body.slice(0, 1), deduplicationId: body });
  };
  return { clock, queue, deadLetterQueue, poller, send };
};
const bodies = ({ Records }: SQSEvent) => Records.map(({ body }) => body);
/** A handler's response when it fails on a message. It also returns all later messages in the group. */
const failingFrom = ({ Records }: SQSEvent, failed: string) => {
  const at = Records.findIndex(({ body }) => body === failed);
  const group = Records[at]?.attributes.MessageGroupId;
  const back = Records.filter(({ attributes }, index) => index >= at && attributes.MessageGroupId === group);
  return { batchItemFailures: at < 0 ? [] : back.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};

test('poll on a FIFO queue passes several groups to one invocation, each in order', async () => {
  const seen: SQSEvent[] = [];
  const { queue, poller, send } = setUp({ batchSize: 4 }, async (event) => void seen.push(event));
  await send('a1', 'a2', 'b1', 'a3', 'b2', 'a4');
  await poller.idle();
  expect(seen.map(bodies)).toEqual([
    ['a1', 'b1', 'a2', 'b2'],
    ['a3', 'a4'],
  ]);
  expect(seen[0]?.Records[0]?.attributes).toMatchObject({
    MessageGroupId: 'a',
    MessageDeduplicationId: 'a1',
    SequenceNumber: expect.stringMatching(/^[0-9]{20}$/),
  });
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 0 });
});

test('poll on a FIFO queue never runs two invocations for one group, while other groups continue', async () => {
  const running: string[][] = [];
  const ends: (() => void)[] = [];
  const { clock, send } = setUp({ batchSize: 1, concurrency: 5 }, (event) => {
    running.push(bodies(event));
    return new Promise<void>((resolve) => ends.push(resolve));
  });
  await send('a1', 'a2', 'a3', 'b1');
  await clock.advance(0);
  expect(running).toEqual([['a1'], ['b1']]);
  ends[0]?.();
  await clock.advance(0);
  expect(running).toEqual([['a1'], ['b1'], ['a2']]);
  for (let end = ends.pop(); end; end = ends.pop()) {
    end();
    await clock.advance(0);
  }
  expect(running.flat()).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('poll on a FIFO queue keeps failed messages, which block only one group', async () => {
  const seen: string[][] = [];
  const { clock, queue, poller, send } = setUp({}, async (event) => {
    seen.push(bodies(event));
    return seen.length === 1 ? failingFrom(event, 'a2') : undefined;
  });
  await send('a1', 'b1', 'a2', 'b2', 'a3');
  await poller.idle();
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 2 });
  await send('a4', 'b3');
  // Idle although a4 is pending, because it is blocked.
  await poller.idle();
  expect(queue.stats()).toMatchObject({ visible: 1, blocked: 1, inFlight: 2 });
  await clock.advance(60_000);
  expect(seen).toEqual([['a1', 'b1', 'a2', 'b2', 'a3'], ['b3'], ['a2', 'a3', 'a4']]);
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 0 });
});

test('poll on a FIFO queue dead-letters a message that always fails, and the group continues', async () => {
  const seen: string[][] = [];
  const { clock, queue, deadLetterQueue, send } = setUp({}, async (event) => {
    seen.push(bodies(event));
    return failingFrom(event, 'a1');
  });
  await send('a1', 'b1');
  await clock.advance(1_000);
  await send('a2');
  await clock.advance(120_000);
  // The second time, a2 was received together with a1, and returned with it.
  expect(seen).toEqual([['a1', 'b1'], ['a1', 'a2'], ['a2']]);
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 0 });
  expect(deadLetterQueue.receive(10)).toMatchObject([{ body: 'a1' }]);
});
