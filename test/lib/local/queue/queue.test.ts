import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createQueue, type Queue, type QueueOptions } from '#lib/local/queue/queue.ts';

const make = (more: Partial<QueueOptions> = {}) => {
  const clock = virtualClock(1_000_000);
  let last = 0;
  const newId = () => `id-${++last}`;
  const queue = createQueue({ name: 'tasks', visibilitySeconds: 30, maxReceiveCount: 3, clock, newId, ...more });
  return { clock, queue, newId };
};
const EMPTY = { visible: 0, inFlight: 0, delayed: 0, blocked: 0, nextVisibleAt: Number.POSITIVE_INFINITY };
const bodies = (queue: Queue, max = 10) => queue.receive(max).map(({ body }) => body);
const only = (queue: Queue) => {
  const [message, ...others] = queue.receive(10);
  if (!message || others.length > 0) throw new Error('expected exactly one message');
  return message;
};

test('a queue returns a message once, with SQS attributes as strings, until it is removed', async () => {
  const { clock, queue } = make();
  queue.send({ body: 'a', groupId: 'customer-1' });
  await clock.advance(40);
  const message = only(queue);
  expect(message).toEqual({
    messageId: 'id-1',
    receiptHandle: 'id-2',
    body: 'a',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1000000',
      ApproximateFirstReceiveTimestamp: '1000040',
      MessageGroupId: 'customer-1',
    },
  });
  expect(queue.receive(10)).toEqual([]);
  queue.remove(message.receiptHandle);
  expect(queue.stats()).toEqual(EMPTY);
  await clock.advance(60_000);
  expect(queue.receive(10)).toEqual([]);
});

test('a queue returns no more messages than requested', () => {
  const { queue } = make();
  for (const body of ['a', 'b', 'c']) queue.send({ body });
  expect(bodies(queue, 2)).toEqual(['a', 'b']);
  expect(bodies(queue, 2)).toEqual(['c']);
});

test('a queue returns an unremoved message after the visibility timeout, with a new handle', async () => {
  const { clock, queue } = make();
  queue.send({ body: 'a' });
  const first = only(queue);
  await clock.advance(29_999);
  expect(queue.receive(1)).toEqual([]);
  await clock.advance(1);
  const second = only(queue);
  expect(second.messageId).toBe(first.messageId);
  expect(second.receiptHandle).not.toBe(first.receiptHandle);
  expect(second.attributes).toMatchObject({
    ApproximateReceiveCount: '2',
    ApproximateFirstReceiveTimestamp: '1000000',
  });
  expect(second.attributes).not.toHaveProperty('MessageGroupId');
});

test('a queue ignores an outdated handle, and accepts the newest even after the visibility timeout', async () => {
  const { clock, queue } = make();
  queue.send({ body: 'a' });
  const first = only(queue);
  await clock.advance(30_000);
  const second = only(queue);
  queue.remove(first.receiptHandle);
  expect(queue.stats().inFlight).toBe(1);
  await clock.advance(30_000);
  queue.remove(second.receiptHandle);
  expect(queue.stats()).toEqual(EMPTY);
});

test('a queue hides a delayed message for exactly the delay', async () => {
  const { clock, queue } = make();
  queue.send({ body: 'a', delaySeconds: 900 });
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 0, delayed: 1 });
  await clock.advance(899_999);
  expect(queue.receive(1)).toEqual([]);
  await clock.advance(1);
  expect(bodies(queue)).toEqual(['a']);
});

test('a queue rejects what SQS rejects: delays over 900 s, bodies over 1 MiB in UTF-8', () => {
  const { queue } = make();
  for (const delaySeconds of [901, -1, Number.NaN]) {
    expect(() => queue.send({ body: 'a', delaySeconds })).toThrow('delaySeconds');
  }
  expect(() => queue.send({ body: 'ä'.repeat(524_289) })).toThrow('1048578');
  queue.send({ body: 'ä'.repeat(524_288) });
  expect(queue.stats().visible).toBe(1);
});

test('changeVisibility hides a message for longer, or makes it visible at once', async () => {
  const { clock, queue } = make();
  queue.send({ body: 'a' });
  queue.changeVisibility(only(queue).receiptHandle, 100);
  await clock.advance(99_999);
  expect(queue.receive(1)).toEqual([]);
  await clock.advance(1);
  const { receiptHandle } = only(queue);
  queue.changeVisibility(receiptHandle, 0);
  expect(queue.stats().visible).toBe(1);
  expect(() => queue.changeVisibility(receiptHandle, 1)).toThrow('in flight');
});

test('changeVisibility rejects more than 12 hours and unknown handles', () => {
  const { queue } = make();
  queue.send({ body: 'a' });
  expect(() => queue.changeVisibility(only(queue).receiptHandle, 43_201)).toThrow('43200');
  expect(() => queue.changeVisibility('unknown', 1)).toThrow('in flight');
});

test('a queue dead-letters a message received more than maxReceiveCount times', async () => {
  const { clock, queue: deadLetterQueue, newId } = make({ name: 'dead' });
  const queue = createQueue({
    name: 'tasks',
    visibilitySeconds: 30,
    maxReceiveCount: 3,
    clock,
    newId,
    deadLetterQueue,
  });
  queue.send({ body: 'poison', groupId: 'g' });
  const { messageId } = only(queue);
  for (let receive = 2; receive <= 3; receive += 1) {
    await clock.advance(30_000);
    expect(only(queue).attributes.ApproximateReceiveCount).toBe(String(receive));
  }
  await clock.advance(30_000);
  queue.send({ body: 'fine' });
  expect(bodies(queue)).toEqual(['fine']);
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 1, delayed: 0 });
  const dead = only(deadLetterQueue);
  expect(dead).toMatchObject({ messageId, body: 'poison' });
  expect(dead.attributes).toMatchObject({
    ApproximateReceiveCount: '1',
    SentTimestamp: '1000000',
    MessageGroupId: 'g',
  });
});

test('a queue without a dead-letter queue redelivers a message indefinitely', async () => {
  const { clock, queue } = make();
  queue.send({ body: 'a' });
  for (let receive = 1; receive <= 10; receive += 1) {
    expect(only(queue).attributes.ApproximateReceiveCount).toBe(String(receive));
    await clock.advance(30_000);
  }
});

test('a receive takes messages from all pending groups in turn', () => {
  const { queue } = make();
  for (const body of ['a1', 'a2', 'a3', 'a4']) queue.send({ body, groupId: 'a' });
  for (const body of ['b1', 'b2']) queue.send({ body, groupId: 'b' });
  queue.send({ body: 'c1', groupId: 'c' });
  expect(bodies(queue, 6)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a queue prefers groups with fewer messages in flight', () => {
  const { queue } = make();
  for (let i = 1; i <= 20; i += 1) queue.send({ body: `noisy${i}`, groupId: 'noisy' });
  expect(queue.receive(10)).toHaveLength(10);
  for (let i = 1; i <= 3; i += 1) queue.send({ body: `quiet${i}`, groupId: 'quiet' });
  expect(bodies(queue, 4)).toEqual(['quiet1', 'quiet2', 'quiet3', 'noisy11']);
});

test('a queue alternates between groups with nothing in flight, so none starves', () => {
  const { queue } = make();
  for (let i = 1; i <= 4; i += 1) queue.send({ body: `backlog${i}`, groupId: 'backlog' });
  const served: string[] = [];
  for (let i = 1; i <= 4; i += 1) {
    queue.send({ body: `trickle${i}`, groupId: 'trickle' });
    for (const message of queue.receive(1)) {
      served.push(message.body);
      queue.remove(message.receiptHandle);
    }
  }
  expect(served).toEqual(['backlog1', 'trickle1', 'backlog2', 'trickle2']);
});

test('a queue treats a message without a group as a separate group', () => {
  const { queue } = make();
  for (const body of ['a1', 'a2', 'a3']) queue.send({ body, groupId: 'a' });
  for (const body of ['x', 'y']) queue.send({ body });
  expect(bodies(queue, 4)).toEqual(['a1', 'x', 'y', 'a2']);
});

test('stats report when the next delayed or in-flight message becomes visible', async () => {
  const { clock, queue } = make();
  const next = () => queue.stats().nextVisibleAt - 1_000_000;
  queue.send({ body: 'a' });
  expect(next()).toBe(Number.POSITIVE_INFINITY);
  const { receiptHandle } = only(queue);
  expect(next()).toBe(30_000);
  queue.send({ body: 'b', delaySeconds: 10 });
  expect(next()).toBe(10_000);
  await clock.advance(10_000);
  expect(next()).toBe(30_000);
  queue.changeVisibility(receiptHandle, 300);
  expect(next()).toBe(310_000);
  queue.remove(receiptHandle);
  expect(next()).toBe(Number.POSITIVE_INFINITY);
});

test('waitForMessage resolves at once, on a send, and after a delay or visibility timeout', async () => {
  const { clock, queue } = make();
  const woken: number[] = [];
  const wait = () => void queue.waitForMessage().then(() => woken.push(clock.now() - 1_000_000));
  wait();
  await clock.advance(10);
  queue.send({ body: 'a' });
  await clock.advance(10);
  wait();
  await clock.advance(10);
  only(queue);
  queue.send({ body: 'b', delaySeconds: 5 });
  wait();
  await clock.advance(10_000);
  only(queue);
  wait();
  await clock.advance(60_000);
  expect(woken).toEqual([10, 20, 5_030, 30_030]);
});

test('waitForMessage resolves when the signal aborts, and when changeVisibility makes a message visible', async () => {
  const { queue } = make();
  const abort = new AbortController();
  const waiting = queue.waitForMessage(abort.signal);
  abort.abort();
  await waiting;
  queue.send({ body: 'a' });
  const { receiptHandle } = only(queue);
  const again = queue.waitForMessage();
  queue.changeVisibility(receiptHandle, 0);
  await again;
  expect(bodies(queue)).toEqual(['a']);
});

test('purge removes all messages, including those in flight and delayed', async () => {
  const { clock, queue } = make();
  queue.send({ body: 'a' });
  queue.send({ body: 'b', delaySeconds: 10 });
  queue.receive(1);
  queue.purge();
  await clock.advance(60_000);
  expect(queue.stats()).toEqual(EMPTY);
  expect(queue.receive(10)).toEqual([]);
});

test('a queue hides messages for as long as scheduled even if the clock is set back', () => {
  let [time, ahead] = [0, 86_400_000];
  const clock = { now: () => 1_000_000 + time + ahead, steady: () => time, after: () => () => {} };
  const { queue } = make({ clock });
  queue.send({ body: 'received' });
  only(queue);
  queue.send({ body: 'delayed', delaySeconds: 20 });
  time += 10_000;
  ahead = 0;
  queue.send({ body: 'later', delaySeconds: 15 });
  expect(bodies(queue)).toEqual([]);
  time += 10_000;
  expect(bodies(queue)).toEqual(['delayed']);
  time += 5_000;
  expect(bodies(queue)).toEqual(['later']);
  time += 5_000;
  expect(bodies(queue)).toEqual(['received']);
});

test('a queue drops duplicates for five minutes even if the clock is set back', () => {
  let [time, ahead] = [0, 86_400_000];
  const clock = { now: () => 1_000_000 + time + ahead, steady: () => time, after: () => () => {} };
  const { queue } = make({ clock, fifo: true });
  const send = (body: string) => queue.send({ body, groupId: 'a', deduplicationId: 'once' });
  send('first');
  ahead = 0;
  time += 299_000;
  send('duplicate');
  time += 2_000;
  send('later');
  expect(queue.stats()).toMatchObject({ visible: 2 });
});
