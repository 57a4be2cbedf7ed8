import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import type { Message, Outgoing } from '#lib/local/message.ts';
import { createQueue, type QueueOptions } from '#lib/local/queue/queue.ts';

const START = 1_000_000;
const make = (more: Partial<QueueOptions> = {}) => {
  const clock = virtualClock(START);
  const limits = { visibilitySeconds: 30, maxReceiveCount: 3, clock, fifo: true } as const;
  const deadLetterQueue = createQueue({ name: 'calls-dead', ...limits });
  const queue = createQueue({ name: 'calls', ...limits, deadLetterQueue, ...more });
  /** Sends each text with a unique deduplication id. The group is the first character. */
  const send = (...texts: string[]) => {
    for (const body of texts) queue.send({ body, groupId: body.slice(0, 1), deduplicationId: body });
  };
  const receive = (max = 10) => queue.receive(max);
  const take = (max = 10) => receive(max).map(({ body }) => body);
  return { clock, queue, deadLetterQueue, send, receive, take };
};
const remove = (queue: { remove(handle: string): void }, messages: Message[]) => {
  for (const { receiptHandle } of messages) queue.remove(receiptHandle);
};
const named = (messages: Message[], body: string): string =>
  messages.find((message) => message.body === body)?.receiptHandle ?? expect.unreachable();

test('a FIFO queue returns several messages per group at once, in order, with groups taking turns', () => {
  const { send, take } = make();
  send('a1', 'a2', 'a3', 'b1', 'c1', 'a4');
  expect(take(5)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});

test('a FIFO queue returns no message from a group while another one is in flight', () => {
  const { queue, send, receive, take } = make();
  send('a1', 'a2', 'a3', 'b1');
  const first = receive(3);
  expect(first.map(({ body }) => body)).toEqual(['a1', 'b1', 'a2']);
  expect(take()).toEqual([]);
  expect(queue.stats()).toMatchObject({ visible: 1, blocked: 1, inFlight: 3 });
  queue.remove(named(first, 'a1'));
  send('b2');
  expect(take()).toEqual([]);
  queue.remove(named(first, 'a2'));
  expect(take()).toEqual(['a3']);
  queue.remove(named(first, 'b1'));
  expect(take()).toEqual(['b2']);
});

test("a FIFO queue returns a message that becomes visible again before the group's later ones", async () => {
  const { clock, queue, send, receive, take } = make();
  send('a1', 'a2', 'a3');
  queue.remove(named(receive(2), 'a1'));
  send('a4');
  await clock.advance(29_999);
  expect(take()).toEqual([]);
  await clock.advance(1);
  expect(take()).toEqual(['a2', 'a3', 'a4']);
});

test('a FIFO queue blocks only the group affected by a visibility change', async () => {
  const { clock, queue, send, receive, take } = make();
  send('a1', 'a2', 'a3');
  const both = receive(2);
  queue.changeVisibility(named(both, 'a1'), 600);
  queue.changeVisibility(named(both, 'a2'), 0);
  send('b1');
  expect(take()).toEqual(['b1']);
  await clock.advance(599_999);
  expect(take()).toEqual(['b1']);
  await clock.advance(1);
  expect(take()).toEqual(['a1', 'a2', 'a3']);
});

test('a FIFO queue skips groups that are full for the receiver', () => {
  const { queue, send, take } = make();
  send('a1', 'b1', 'a2');
  expect(queue.receive(10, (group) => group === 'a').map(({ body }) => body)).toEqual(['b1']);
  expect(take()).toEqual(['a1', 'a2']);
});

test('a FIFO queue lets groups take turns, so a flood in one group does not delay other groups', () => {
  const { queue, send, receive } = make();
  for (let i = 1; i <= 50; i += 1) send(`a${i}`);
  const served: string[] = [];
  for (let i = 1; i <= 3; i += 1) {
    send(`b${i}`);
    const [message, ...others] = receive(1);
    if (!message || others.length > 0) throw new Error('expected exactly one message');
    served.push(message.body);
    queue.remove(message.receiptHandle);
  }
  expect(served).toEqual(['a1', 'b1', 'a2']);
});

test('waitForMessage on a FIFO queue resolves when a group is unblocked, not for a blocked message', async () => {
  const { clock, queue, send, receive } = make();
  send('a1', 'a2');
  const both = receive();
  queue.changeVisibility(named(both, 'a1'), 10);
  let woken = 0;
  void queue.waitForMessage().then(() => (woken = clock.now() - START));
  await clock.advance(29_000);
  expect(woken).toBe(0);
  queue.remove(named(both, 'a2'));
  await clock.advance(0);
  expect(woken).toBe(29_000);
});

test('a FIFO queue accepts a deduplication id only once per group within five minutes, even after a removal', async () => {
  const { clock, queue, take } = make();
  const send = (groupId: string, body: string) => queue.send({ body, groupId, deduplicationId: 'same' });
  send('a', 'first');
  remove(queue, queue.receive(1));
  await clock.advance(299_999);
  send('a', 'duplicate');
  expect(queue.stats().visible).toBe(0);
  send('b', 'of another group');
  await clock.advance(1);
  send('a', 'later');
  send('b', 'duplicate');
  expect(take()).toEqual(['of another group', 'later']);
});

test('a FIFO queue rejects what SQS rejects: no group, no deduplication id, a delay', () => {
  const { queue } = make();
  const ids = { groupId: 'a', deduplicationId: '1' };
  const rejected: [Outgoing, string][] = [
    [{ body: 'x', groupId: 'a' }, 'requires a groupId and a deduplicationId'],
    [{ body: 'x', deduplicationId: '1' }, 'requires a groupId and a deduplicationId'],
    [{ body: 'x', ...ids, delaySeconds: 1 }, 'cannot delay a single message'],
    [{ body: 'x', ...ids, groupId: 'a'.repeat(129) }, 'the length of the groupId'],
    [{ body: 'x', ...ids, deduplicationId: 'a'.repeat(129) }, 'the length of the deduplicationId'],
  ];
  for (const [message, reason] of rejected) expect(() => queue.send(message)).toThrow(reason);
  queue.send({ body: 'x', ...ids, delaySeconds: 0 });
  expect(queue.stats().visible).toBe(1);
  const standard = createQueue({ name: 's', visibilitySeconds: 1, maxReceiveCount: 1, clock: virtualClock(0) });
  expect(() => standard.send({ body: 'x', ...ids })).toThrow('a standard queue accepts no deduplicationId');
  expect(() => make({ deadLetterQueue: standard })).toThrow('not of the same kind');
});

test('messages in a FIFO queue have a group, a deduplication id, and an increasing 20-digit number', () => {
  const { send, receive } = make();
  send('a1', 'b1');
  const [first, second] = receive().map(({ attributes }) => attributes);
  expect(first).toMatchObject({ MessageGroupId: 'a', MessageDeduplicationId: 'a1' });
  expect(first?.SequenceNumber).toMatch(/^[0-9]{20}$/);
  expect(String(second?.SequenceNumber) > String(first?.SequenceNumber)).toBe(true);
});

test('a FIFO queue ignores a removal with an expired handle, as another receiver may have the message', async () => {
  const { clock, queue, send, receive, take } = make();
  send('a1');
  const late = receive();
  await clock.advance(30_000);
  remove(queue, late);
  expect(take()).toEqual(['a1']);
});

test('a FIFO queue dead-letters a message after maxReceiveCount, and the group continues', async () => {
  const { clock, queue, deadLetterQueue, send, receive, take } = make();
  send('a1', 'a2');
  const [{ messageId } = expect.unreachable()] = receive(1);
  for (let i = 0; i < 2; i += 1) {
    await clock.advance(30_000);
    expect(take(1)).toEqual(['a1']);
  }
  await clock.advance(30_000);
  expect(take()).toEqual(['a2']);
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 1 });
  expect(deadLetterQueue.receive(1)).toMatchObject([
    { messageId, body: 'a1', attributes: { SentTimestamp: String(START), MessageGroupId: 'a' } },
  ]);
});

test('redrive on a FIFO queue returns dead letters in order, behind pending messages', async () => {
  const { clock, queue, deadLetterQueue, send, receive, take } = make();
  send('a1', 'a2', 'b1', 'b2');
  const before = receive();
  for (let i = 0; i < 3; i += 1) {
    await clock.advance(30_000);
    receive();
  }
  expect(deadLetterQueue.stats().visible).toBe(4);
  send('a3', 'b3');
  // A message in flight stays, as do later messages in its group.
  const [{ body, receiptHandle } = expect.unreachable()] = deadLetterQueue.receive(1);
  expect(body).toBe('a1');
  expect(queue.redrive()).toBe(2);
  deadLetterQueue.changeVisibility(receiptHandle, 0);
  expect(queue.redrive()).toBe(2);
  expect(queue.redrive()).toBe(0);
  expect(deadLetterQueue.stats()).toMatchObject({ visible: 0, inFlight: 0 });
  const again = receive();
  expect(again.map((message) => message.body)).toEqual(['a3', 'b3', 'a1', 'b1', 'a2', 'b2']);
  const [old, back] = [before, again].map(
    (all) => all.find((message) => message.body === 'a1') ?? expect.unreachable(),
  );
  expect(back).toMatchObject({
    messageId: old?.messageId,
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(START) },
  });
  expect(String(back?.attributes.SequenceNumber) > String(old?.attributes.SequenceNumber)).toBe(true);
  await clock.advance(30_000);
  expect(take()).toHaveLength(6);
});

test('purge on a FIFO queue removes all messages and unblocks all groups', () => {
  const { queue, send, receive, take } = make();
  send('a1', 'a2');
  receive(1);
  queue.purge();
  send('a3');
  expect(take()).toEqual(['a3']);
});
