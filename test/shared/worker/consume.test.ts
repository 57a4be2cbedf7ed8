import type { ScheduledEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { MAX_RECEIVES, retrySeconds, scheduled } from '#shared/queue/consumer.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { contextOf, hostOf, read, record, task } from '#test/fixtures/reader.ts';

test('logs the invocation and the message in each line of a consumer', async () => {
  const { runtime, lines } = hostOf();
  const records = [
    record('1', task('say')),
    record('2', task('fail')),
    record('3', 'not JSON'),
    record('4', task('say')),
  ];
  await Promise.all(['one', 'two'].map((id) => read(runtime, records, id)));
  const logged = lines.map(({ invocationId, messageId, consumer, message }) =>
    [invocationId, consumer, messageId, message].join(': '),
  );
  const expectedLines = (id: string) => [
    `${id}: reader: 1: said`,
    `${id}: reader: 2: a task failed`,
    `${id}: reader: 3: a message cannot be read`,
    `${id}: reader: 4: said`,
  ];
  expect(logged.toSorted()).toEqual([...expectedLines('one'), ...expectedLines('two')]);
});

test('logs the ids of a task in each line, also on failure, and nothing else from the task', async () => {
  const { runtime, lines } = hostOf();
  const bodyOf = (act: string) => JSON.stringify({ act, deliveryId: `of-${act}`, note: 'private' });
  await read(runtime, [record('1', bodyOf('say')), record('2', bodyOf('fail'))]);
  const logged = lines.map(({ message, deliveryId, note }) => [message, deliveryId, note]);
  expect(logged.toSorted()).toEqual([
    ['a task failed', 'of-fail', undefined],
    ['said', 'of-say', undefined],
  ]);
});

test('logs the invocation in each line of a scheduled function', async () => {
  const { runtime, lines } = hostOf();
  const clock = scheduled({ name: 'clock', everySeconds: 60, timeoutSeconds: 60, uses: [] });
  const tick = onSchedule(
    clock,
    () =>
      async ({ log }) =>
        log('info', 'ticked'),
  );
  await tick.with(runtime)({} as ScheduledEvent, contextOf('three'));
  expect(lines).toMatchObject([{ invocationId: 'three', consumer: 'clock' }]);
});

test('returns a group of a FIFO queue starting with its first failure, and no other group', async () => {
  const { runtime, hidden } = hostOf();
  const records = [
    record('1', task('say'), 'a'),
    record('2', task('say'), 'b'),
    record('3', task('fail'), 'a'),
    record('4', task('say'), 'a'),
    record('5', task('say'), 'b'),
  ];
  expect(await read(runtime, records)).toEqual(['3', '4']);
  expect(hidden).toEqual([{ handles: ['h-3', 'h-4'], seconds: 0 }]);
});

test('returns single messages of a standard queue, even within a group', async () => {
  const { runtime } = hostOf();
  const inGroup = (message: ReturnType<typeof record>) => ({
    ...message,
    attributes: { ...message.attributes, MessageGroupId: 'a' },
  });
  const records = [record('1', task('fail')), record('2', task('say')), record('3', task('fail'))].map(inGroup);
  expect(await read(runtime, records)).toEqual(['1', '3']);
});

test('does not return tasks that were done before an error', async () => {
  const { runtime } = hostOf();
  expect(await read(runtime, [record('1', task('half'), 'a'), record('2', task('say'), 'a')])).toEqual(['2']);
});

test('quarantines an unreadable message with its body and the reason, and processes those behind it', async () => {
  const { runtime, quarantined } = hostOf();
  const records = [record('1', '{"act":"fly"}', 'a'), record('2', task('say'), 'a')];
  expect(await read(runtime, records)).toEqual([]);
  expect(quarantined).toMatchObject([
    { queue: 'events', messageId: '1', body: '{"act":"fly"}', reason: expect.any(String) },
  ]);
});

test('returns an unreadable message to its queue while the quarantine is unavailable', async () => {
  const { runtime } = hostOf(false);
  expect(await read(runtime, [record('1', 'nonsense', 'a')])).toEqual(['1']);
});

test('retries a message with pauses that grow to 15 minutes, for more than 20 hours', async () => {
  const { runtime, hidden } = hostOf();
  for (const receives of [1, 2, 3, 5, 12, 99]) await read(runtime, [record('1', task('fail'), 'a', receives)]);
  expect(hidden.map(({ seconds }) => seconds)).toEqual([0, 0, 1, 4, 512, 900]);
  const total = Array.from({ length: MAX_RECEIVES }, (_, at) => retrySeconds(at + 1)).reduce(
    (sum, seconds) => sum + seconds,
    0,
  );
  expect(total / 3_600).toBeGreaterThan(20);
});

test('counts failed tasks by worker and kind of error, but not tasks that are retried later', async () => {
  const { runtime, measured } = hostOf();
  const bodies = ['table', 'queue', 'keys', 'fail', 'again', 'say'];
  await read(
    runtime,
    bodies.map((act, at) => record(String(at), task(act))),
  );
  expect(measured.map(([name, count, labels]) => [name, count, labels?.worker, labels?.kind])).toEqual([
    ['TasksFailed', 1, 'reader', 'table'],
    ['TasksFailed', 1, 'reader', 'queue'],
    ['TasksFailed', 1, 'reader', 'keys'],
    ['TasksFailed', 1, 'reader', 'other'],
  ]);
});

test('counts a message that keeps failing once, so that its alarm ends and the next message fires it again', async () => {
  const { runtime, measured } = hostOf();
  for (const receives of [1, 2, 3, 4]) await read(runtime, [record('1', task('fail'), undefined, receives)]);
  expect(measured).toHaveLength(1);
  await read(runtime, [record('1', task('fail'), undefined, 5), record('2', task('table'))]);
  expect(measured.slice(1)).toEqual([['TasksFailed', 1, { worker: 'reader', kind: 'table' }]]);
});

test('counts messages whose visibility timeout cannot be changed as failed', async () => {
  const { runtime, measured } = hostOf();
  const hide = async () => {
    throw new Error('the queue is unavailable');
  };
  await read({ ...runtime, queues: { ...runtime.queues, hide } }, [record('1', task('again'), 'a')]);
  expect(measured).toEqual([['TasksFailed', 1, { worker: 'reader', kind: 'queue' }]]);
});

test('counts tasks that are postponed for more than a minute as failed', async () => {
  const { runtime, measured } = hostOf();
  await read(runtime, [record('1', task('again'), 'a', 8), record('2', task('again'), undefined, 8)]);
  expect(measured).toEqual([]);
  await read(runtime, [record('1', task('again'), 'a', 9), record('2', task('again'), undefined, 9)]);
  const failed = ['TasksFailed', 1, { worker: 'reader', kind: 'again' }];
  expect(measured).toEqual([failed, failed]);
  const pauses = Array.from({ length: 8 }, (_, at) => retrySeconds(at + 1)).reduce((sum, seconds) => sum + seconds);
  expect(pauses).toBeLessThan(120);
});
