import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import type { Message, Outgoing } from '#lib/local/message.ts';
import { createQueue, type QueueOptions } from '#lib/local/queue/queue.ts';

const START = 1_000_000;
const make = (more: Partial<QueueOptions> = {}) => {
  const clock = virtualClock(START);
  const limits = { visibilitySeconds: 30, maxReceiveCount: 3, clock, fifo: true } as const;
  const deadLetter = createQueue({ name: 'calls-dead', ...limits });
  const queue = createQueue({ name: 'calls', ...limits, deadLetter, ...more });
  /** Sends each under a deduplication id of its own; its group is its first letter. */
  const send = (...texts: string[]) => {
    for (const body of texts) queue.send({ body, groupId: body.slice(0, 1), deduplicationId: body });
  };
  const receive = (max = 10) => queue.receive(max);
  const take = (max = 10) => receive(max).map(({ body }) => body);
  return { clock, queue, deadLetter, send, receive, take };
};
const remove = (queue: { remove(handle: string): void }, messages: Message[]) => {
  for (const { receiptHandle } of messages) queue.remove(receiptHandle);
};
const named = (messages: Message[], body: string): string =>
  messages.find((message) => message.body === body)?.receiptHandle ?? expect.unreachable();

test('FIFO queue: one receive gives several messages of a group in the order of sending, groups in turn', () => {
  const { send, take } = make();
  send('a1', 'a2', 'a3', 'b1', 'c1', 'a4');
  expect(take(5)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});

test('FIFO queue: while a message of a group is in flight, no other receive gets a message of this group', () => {
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

test('FIFO queue: a message that becomes visible again is received before later messages of its group', async () => {
  const { clock, queue, send, receive, take } = make();
  send('a1', 'a2', 'a3');
  queue.remove(named(receive(2), 'a1'));
  send('a4');
  await clock.advance(29_999);
  expect(take()).toEqual([]);
  await clock.advance(1);
  expect(take()).toEqual(['a2', 'a3', 'a4']);
});

test('FIFO queue: changeVisibility of one message blocks its group until then, and no other group', async () => {
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

test('FIFO queue: a receiver that has enough messages of a group gets those of other groups', () => {
  const { queue, send, take } = make();
  send('a1', 'b1', 'a2');
  expect(queue.receive(10, (group) => group === 'a').map(({ body }) => body)).toEqual(['b1']);
  expect(take()).toEqual(['a1', 'a2']);
});

test('FIFO queue: groups take turns, so a flood of one delays no other', () => {
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

test('FIFO queue: waitForMessage resolves when a group is free again, not when one that waits behind becomes visible', async () => {
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

test('FIFO queue: a group gets one message per deduplication id in five minutes, even when that message is gone', async () => {
  const { clock, queue, take } = make();
  const send = (groupId: string, body: string) => queue.send({ body, groupId, deduplicationId: 'same' });
  send('a', 'first');
  remove(queue, queue.receive(1));
  await clock.advance(299_999);
  send('a', 'repeated');
  expect(queue.stats().visible).toBe(0);
  send('b', 'of another group');
  await clock.advance(1);
  send('a', 'later');
  send('b', 'repeated');
  expect(take()).toEqual(['of another group', 'later']);
});

test('FIFO queue: refuses what SQS refuses: no group, no deduplication id, a delay', () => {
  const { queue } = make();
  const ids = { groupId: 'a', deduplicationId: '1' };
  const refused: [Outgoing, string][] = [
    [{ body: 'x', groupId: 'a' }, 'without groupId and deduplicationId'],
    [{ body: 'x', deduplicationId: '1' }, 'without groupId and deduplicationId'],
    [{ body: 'x', ...ids, delaySeconds: 1 }, 'delays no single message'],
    [{ body: 'x', ...ids, groupId: 'a'.repeat(129) }, 'the length of the groupId'],
    [{ body: 'x', ...ids, deduplicationId: 'a'.repeat(129) }, 'the length of the deduplicationId'],
  ];
  for (const [message, why] of refused) expect(() => queue.send(message)).toThrow(why);
  queue.send({ body: 'x', ...ids, delaySeconds: 0 });
  expect(queue.stats().visible).toBe(1);
  const standard = createQueue({ name: 's', visibilitySeconds: 1, maxReceiveCount: 1, clock: virtualClock(0) });
  expect(() => standard.send({ body: 'x', ...ids })).toThrow('a standard queue takes no deduplicationId');
  expect(() => make({ deadLetter: standard })).toThrow('not of the same kind');
});

test('FIFO queue: messages have their group, deduplication id, and a growing number of 20 digits', () => {
  const { send, receive } = make();
  send('a1', 'b1');
  const [first, second] = receive().map(({ attributes }) => attributes);
  expect(first).toMatchObject({ MessageGroupId: 'a', MessageDeduplicationId: 'a1' });
  expect(first?.SequenceNumber).toMatch(/^[0-9]{20}$/);
  expect(String(second?.SequenceNumber) > String(first?.SequenceNumber)).toBe(true);
});

test('FIFO queue: an expired handle removes nothing, because another receiver may have the message', async () => {
  const { clock, queue, send, receive, take } = make();
  send('a1');
  const late = receive();
  await clock.advance(30_000);
  remove(queue, late);
  expect(take()).toEqual(['a1']);
});

test('FIFO queue: after maxReceiveCount a message is a dead letter with its id and time, and its group goes on', async () => {
  const { clock, queue, deadLetter, send, receive, take } = make();
  send('a1', 'a2');
  const [{ messageId } = expect.unreachable()] = receive(1);
  for (let i = 0; i < 2; i += 1) {
    await clock.advance(30_000);
    expect(take(1)).toEqual(['a1']);
  }
  await clock.advance(30_000);
  expect(take()).toEqual(['a2']);
  expect(queue.stats()).toMatchObject({ visible: 0, inFlight: 1 });
  expect(deadLetter.receive(1)).toMatchObject([
    { messageId, body: 'a1', attributes: { SentTimestamp: String(START), MessageGroupId: 'a' } },
  ]);
});

test('FIFO queue: redrive puts dead letters back in their order, behind waiting messages, as if never received', async () => {
  const { clock, queue, deadLetter, send, receive, take } = make();
  send('a1', 'a2', 'b1', 'b2');
  const before = receive();
  for (let i = 0; i < 3; i += 1) {
    await clock.advance(30_000);
    receive();
  }
  expect(deadLetter.stats().visible).toBe(4);
  send('a3', 'b3');
  // Somebody looks at one: it stays, and what is behind it in its group.
  const [{ body, receiptHandle } = expect.unreachable()] = deadLetter.receive(1);
  expect(body).toBe('a1');
  expect(queue.redrive()).toBe(2);
  deadLetter.changeVisibility(receiptHandle, 0);
  expect(queue.redrive()).toBe(2);
  expect(queue.redrive()).toBe(0);
  expect(deadLetter.stats()).toMatchObject({ visible: 0, inFlight: 0 });
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

test('FIFO queue: purge leaves nothing, and no group blocked', () => {
  const { queue, send, receive, take } = make();
  send('a1', 'a2');
  receive(1);
  queue.purge();
  send('a3');
  expect(take()).toEqual(['a3']);
});
