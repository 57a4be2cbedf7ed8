import type { ScheduledEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { MAX_RECEIVES, retrySeconds, scheduled } from '#shared/queue/consumer.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { contextOf, hostOf, read, record, task } from '#test/fixtures/reader.ts';

test('every line that a consumer logs tells of which invocation and which message it is', async () => {
  const { runtime, lines } = hostOf();
  const records = [
    record('1', task('say')),
    record('2', task('fail')),
    record('3', 'not JSON'),
    record('4', task('say')),
  ];
  await Promise.all(['one', 'two'].map((id) => read(runtime, records, id)));
  const said = lines.map(({ invocationId, messageId, consumer: who, message: what }) =>
    [invocationId, who, messageId, what].join(': '),
  );
  const lineOf = (id: string) => [
    `${id}: reader: 1: said`,
    `${id}: reader: 2: a message was not worked off`,
    `${id}: reader: 3: a message cannot be read`,
    `${id}: reader: 4: said`,
  ];
  expect(said.toSorted()).toEqual([...lineOf('one'), ...lineOf('two')]);
});

test('every line tells of the ids that its task names, its failure too, and of nothing else in it', async () => {
  const { runtime, lines } = hostOf();
  const about = (act: string) => JSON.stringify({ act, deliveryId: `of-${act}`, note: 'private' });
  await read(runtime, [record('1', about('say')), record('2', about('fail'))]);
  const told = lines.map(({ message: what, deliveryId, note }) => [what, deliveryId, note]);
  expect(told.toSorted()).toEqual([
    ['a message was not worked off', 'of-fail', undefined],
    ['said', 'of-say', undefined],
  ]);
});

test('what runs by the clock tells of which invocation its lines are', async () => {
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

test('of a FIFO queue a group is given back from its first failure on, and other groups are not', async () => {
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

test('of a standard queue each message stands for itself, also within a group', async () => {
  const { runtime } = hostOf();
  const inGroup = (message: ReturnType<typeof record>) => ({
    ...message,
    attributes: { ...message.attributes, MessageGroupId: 'a' },
  });
  const records = [record('1', task('fail')), record('2', task('say')), record('3', task('fail'))].map(inGroup);
  expect(await read(runtime, records)).toEqual(['1', '3']);
});

test('what is done before an error is not given back', async () => {
  const { runtime } = hostOf();
  expect(await read(runtime, [record('1', task('half'), 'a'), record('2', task('say'), 'a')])).toEqual(['2']);
});

test('what nobody can read is put aside whole with its reason, and those behind it in its group are worked on', async () => {
  const { runtime, aside } = hostOf();
  const records = [record('1', '{"act":"fly"}', 'a'), record('2', task('say'), 'a')];
  expect(await read(runtime, records)).toEqual([]);
  expect(aside).toMatchObject([{ queue: 'events', messageId: '1', body: '{"act":"fly"}', reason: expect.any(String) }]);
});

test('what cannot be put aside stays where it is', async () => {
  const { runtime } = hostOf(false);
  expect(await read(runtime, [record('1', 'nonsense', 'a')])).toEqual(['1']);
});

test('the pause before a message is shown again grows to a quarter of an hour, and outlasts an outage of hours', async () => {
  const { runtime, hidden } = hostOf();
  for (const receives of [1, 2, 3, 5, 12, 99]) await read(runtime, [record('1', task('fail'), 'a', receives)]);
  expect(hidden.map(({ seconds }) => seconds)).toEqual([0, 0, 1, 4, 512, 900]);
  const all = Array.from({ length: MAX_RECEIVES }, (_, at) => retrySeconds(at + 1)).reduce(
    (sum, seconds) => sum + seconds,
    0,
  );
  expect(all / 3_600).toBeGreaterThan(20);
});

test('each failed task is a metric by worker and kind of error, and what waits on purpose is none', async () => {
  const { runtime, measured } = hostOf();
  const bodies = ['table', 'queue', 'keys', 'fail', 'again', 'say'];
  await read(
    runtime,
    bodies.map((act, at) => record(String(at), task(act))),
  );
  expect(measured.map(([name, count, of]) => [name, count, of?.worker, of?.kind])).toEqual([
    ['TasksFailed', 1, 'reader', 'table'],
    ['TasksFailed', 1, 'reader', 'queue'],
    ['TasksFailed', 1, 'reader', 'keys'],
    ['TasksFailed', 1, 'reader', 'other'],
  ]);
});

test('what cannot be shown again in time counts as failed', async () => {
  const { runtime, measured } = hostOf();
  const hide = async () => {
    throw new Error('the queue is away');
  };
  await read({ ...runtime, queues: { ...runtime.queues, hide } }, [record('1', task('again'), 'a')]);
  expect(measured).toEqual([['TasksFailed', 1, { worker: 'reader', kind: 'queue' }]]);
});

test('what is put off again and again counts as failed after a minute: somebody has to hear of what is never done', async () => {
  const { runtime, measured } = hostOf();
  await read(runtime, [record('1', task('again'), 'a', 8), record('2', task('again'), undefined, 8)]);
  expect(measured).toEqual([]);
  await read(runtime, [record('1', task('again'), 'a', 9), record('2', task('again'), undefined, 9)]);
  const failed = ['TasksFailed', 1, { worker: 'reader', kind: 'again' }];
  expect(measured).toEqual([failed, failed]);
  const pauses = Array.from({ length: 8 }, (_, at) => retrySeconds(at + 1)).reduce((sum, seconds) => sum + seconds);
  expect(pauses).toBeLessThan(120);
});
