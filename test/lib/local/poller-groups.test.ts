import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { poll } from '#lib/local/consumers/pollers.ts';
import { createQueue } from '#lib/local/queue/queue.ts';

test('poll leaves capacity for other groups and customers', async () => {
  const clock = virtualClock(1_800_000_000_000);
  const queue = createQueue({ name: 'tasks', visibilitySeconds: 60, maxReceiveCount: 5, clock });
  const running = new Map<string, number>();
  const peak = new Map<string, number>();
  const note = (group: string, by: number) => {
    for (const name of [group, group.replace(/[/].*/, '')]) {
      const count = (running.get(name) ?? 0) + by;
      running.set(name, count);
      peak.set(name, Math.max(peak.get(name) ?? 0, count));
    }
  };
  const limits = { batchSize: 10, concurrency: 10, ofCustomer: 5, ofGroup: 2, timeoutSeconds: 10 };
  const poller = poll({
    queue,
    functionName: 'work',
    ...limits,
    reportFailures: true,
    clock,
    onError: () => expect.unreachable(),
    handler: async ({ Records: [record] }) => {
      const group = record?.attributes.MessageGroupId ?? '';
      note(group, 1);
      await new Promise<void>((resolve) => clock.after(100, resolve));
      note(group, -1);
    },
  });
  for (const groupId of ['1/a', '1/b', '1/c', '1/d', '2/a'])
    for (let at = 0; at < 4; at++) queue.send({ body: 'x', groupId });
  await clock.advance(0);
  expect(Object.fromEntries(running)).toMatchObject({ '1': 5, '2': 2, '2/a': 2 });
  await clock.advance(1_000);
  await poller.idle();
  expect(Object.fromEntries(peak)).toMatchObject({ '1': 5, '1/a': 2, '1/b': 2, '2': 2 });
  await poller.stop();
});
