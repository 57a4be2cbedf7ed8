import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createQueue } from '#lib/local/queue/queue.ts';

test('a receive stays fast with 10,000 messages in one group, 10,000 groups and 10,000 hidden messages', () => {
  const limits = { visibilitySeconds: 30, maxReceiveCount: 3, clock: virtualClock(0) };
  const queue = createQueue({ name: 'tasks', ...limits });
  for (let i = 0; i < 10_000; i += 1) queue.send({ body: 'x', groupId: 'one' });
  for (let i = 0; i < 10_000; i += 1) queue.send({ body: 'x', groupId: `g${i}` });
  for (let i = 0; i < 10_000; i += 1) queue.send({ body: 'x', delaySeconds: 900 });
  const before = process.cpuUsage();
  for (let i = 0; i < 2_000; i += 1) for (const { receiptHandle } of queue.receive(10)) queue.remove(receiptHandle);
  const { user, system } = process.cpuUsage(before);
  expect(queue.stats()).toMatchObject({ visible: 0, delayed: 10_000 });
  // This takes well below a second. Iterating over all messages on each receive would take a minute.
  expect((user + system) / 1e6).toBeLessThan(5);
});
