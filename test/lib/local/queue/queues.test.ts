import { expect, test } from 'vitest';
import { consumers } from '#functions/index.ts';
import { virtualClock } from '#lib/local/clock.ts';
import { noJournal } from '#lib/local/queue/journal.ts';
import { createQueue } from '#lib/local/queue/queue.ts';
import { openQueues, queuesOf } from '#lib/local/queue/queues.ts';
import { MAX_RECEIVES } from '#shared/queue/consumer.ts';
import { queueNames } from '#shared/queue/names.ts';

const open = () => {
  const clock = virtualClock(1_000_000);
  const journals: string[] = [];
  const opened = openQueues((name) => {
    journals.push(name);
    return noJournal();
  }, clock);
  return { clock, journals, ...opened, senders: queuesOf(opened.queues) };
};
const message = (body: string) => ({ body, groupId: 'g', delaySeconds: 0 });

test('every queue has a journal and a dead-letter queue of the same type', async () => {
  const { clock, queues, dead, journals } = open();
  expect(journals.toSorted()).toEqual(queueNames.flatMap((name) => [name, `${name}-dead`]).toSorted());
  for (const name of queueNames) {
    const queue = queues[name];
    expect([queue.name, dead[name].name, queue.isFifo, dead[name].isFifo]).toEqual([
      name,
      `${name}-dead`,
      name === 'events',
      name === 'events',
    ]);
    queue.send({ body: name, ...(queue.isFifo && { groupId: 'g', deduplicationId: 'd' }) });
    for (let receive = 0; receive <= MAX_RECEIVES; receive++) {
      const [message] = queue.receive(1);
      if (message) queue.changeVisibility(message.receiptHandle, 0);
    }
    expect([queue.stats().visible, dead[name].receive(1).map(({ body }) => body)]).toEqual([0, [name]]);
    await clock.advance(0);
  }
});

test('a received message stays hidden a second longer than the consumer may take', () => {
  const { clock, queues } = open();
  for (const name of queueNames) {
    const consumer = consumers.find((one) => one.queues.some((queue) => queue === name));
    queues[name].send({ body: 'a', ...(queues[name].isFifo && { groupId: 'g', deduplicationId: 'd' }) });
    queues[name].receive(1);
    expect([name, queues[name].stats().nextVisibleAt - clock.now()]).toEqual([
      name,
      ((consumer?.timeoutSeconds ?? 15) + 1) * 1_000,
    ]);
  }
});

test('senders reach the queue they name', async () => {
  const { clock, queues, dead, senders } = open();
  await senders.send('timers', [message('a'), message('b')]);
  expect([queues.timers.stats().visible, queues.jobs.stats().visible]).toEqual([2, 0]);
  const handles = queues.timers.receive(10).map(({ receiptHandle }) => receiptHandle);
  await senders.hide('arn:aws:sqs:region:1:timers', handles, 500);
  expect(queues.timers.stats().nextVisibleAt).toBe(clock.now() + 500_000);
  await senders.hide('arn:aws:sqs:region:1:others', handles, 1);
  expect(queues.timers.stats().nextVisibleAt).toBe(clock.now() + 500_000);
  dead.jobs.send({ body: 'dead' });
  await senders.redrive('jobs');
  expect([queues.jobs.stats().visible, dead.jobs.stats().visible]).toEqual([1, 0]);
});

test('sending and redriving fail if the messages cannot be stored', async () => {
  const opened = openQueues(
    () => ({ ...noJournal(), settled: () => Promise.reject(new Error('refused')) }),
    virtualClock(0),
  );
  const { send, redrive } = queuesOf(opened.queues);
  await expect(send('timers', [message('a')])).rejects.toThrow('refused');
  await expect(redrive('timers')).rejects.toThrow('refused');
});

const make = (fifo = false) => {
  const clock = virtualClock(1_000_000);
  const limits = { visibilitySeconds: 30, maxReceiveCount: 3, clock, ...(fifo && { fifo: true as const }) };
  const queue = createQueue({ name: 'q', ...limits });
  return { clock, queue };
};

test('the age of the oldest pending message ignores messages delayed or received too often', async () => {
  const { clock, queue } = make();
  expect(queue.waitingSince()).toBeNull();
  queue.send({ body: 'delayed', delaySeconds: 60 });
  expect(queue.waitingSince()).toBeNull();
  await clock.advance(5);
  queue.send({ body: 'first' });
  await clock.advance(5);
  queue.send({ body: 'second' });
  expect(queue.waitingSince()).toBe(1_000_005);
  // A message in flight still has to be processed, unless it was received too often.
  const [message = expect.unreachable()] = queue.receive(1);
  expect([queue.waitingSince(), queue.waitingSince(2), queue.waitingSince(1)]).toEqual([
    1_000_005, 1_000_005, 1_000_010,
  ]);
  queue.remove(message.receiptHandle);
  expect(queue.waitingSince()).toBe(1_000_010);
});

test('the backlog counts groups with receivable messages, and the messages in one group', () => {
  const { queue } = make(true);
  const send = (body: string) => queue.send({ body, groupId: body.charAt(0), deduplicationId: body });
  for (const body of ['a1', 'a2', 'a3', 'b1']) send(body);
  expect([queue.backlog('a'), queue.backlog('c')]).toEqual([
    { groups: 2, ofGroup: 3 },
    { groups: 2, ofGroup: 0 },
  ]);
  queue.receive(1);
  expect(queue.backlog('a')).toEqual({ groups: 1, ofGroup: 2 });
});

test('a queue accepts what SQS accepts, up to each limit', () => {
  const { queue } = make(true);
  const ids = { groupId: 'g'.repeat(128), deduplicationId: 'd'.repeat(128) };
  queue.send({ body: '', ...ids });
  const [message = expect.unreachable()] = queue.receive(1);
  for (const seconds of [0, 43_200]) {
    const [again = message] = queue.receive(1);
    queue.changeVisibility(again.receiptHandle, seconds);
  }
  for (const seconds of [-1, 43_201, Number.NaN])
    expect(() => queue.changeVisibility(message.receiptHandle, seconds)).toThrow(
      `the visibility timeout in seconds must be 0 to 43200, not ${seconds}`,
    );
  expect(queue.receive(0)).toEqual([]);
  expect(queue.redrive()).toBe(0);
});
