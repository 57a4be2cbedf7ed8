import type { ScheduledEvent, SQSEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { called, consumer, MAX_RECEIVES, retrySeconds, scheduled } from '#shared/queue/consumer.ts';
import { consume } from '#shared/worker/consume.ts';
import { Quarantine, RetryLater } from '#shared/worker/failure.ts';
import { onCall, onSchedule } from '#shared/worker/on-host.ts';
import { contextOf, hostOf, read, record, task } from '#test/fixtures/reader.ts';

test('a consumer logs the invocation and the message in each line', async () => {
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

test('a consumer logs task ids in each line, but nothing else from the task', async () => {
  const { runtime, lines } = hostOf();
  const bodyOf = (act: string) => JSON.stringify({ act, deliveryId: `of-${act}`, note: 'private' });
  await read(runtime, [record('1', bodyOf('say')), record('2', bodyOf('fail'))]);
  const logged = lines.map(({ message, deliveryId, note }) => [message, deliveryId, note]);
  expect(logged.toSorted()).toEqual([
    ['a task failed', 'of-fail', undefined],
    ['said', 'of-say', undefined],
  ]);
});

test('a scheduled function logs the invocation in each line', async () => {
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

test("a consumer returns a FIFO group's messages starting with the first failure", async () => {
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

test('a consumer returns single messages to a standard queue, even within the same group', async () => {
  const { runtime } = hostOf();
  const inGroup = (message: ReturnType<typeof record>) => ({
    ...message,
    attributes: { ...message.attributes, MessageGroupId: 'a' },
  });
  const records = [record('1', task('fail')), record('2', task('say')), record('3', task('fail'))].map(inGroup);
  expect(await read(runtime, records)).toEqual(['1', '3']);
});

test('a consumer does not return a task that fails after completing', async () => {
  const { runtime } = hostOf();
  expect(await read(runtime, [record('1', task('half'), 'a'), record('2', task('say'), 'a')])).toEqual(['2']);
});

test('a consumer quarantines an unreadable message and processes the messages behind it', async () => {
  const { runtime, quarantined } = hostOf();
  const records = [record('1', '{"act":"fly"}', 'a'), record('2', task('say'), 'a')];
  expect(await read(runtime, records)).toEqual([]);
  expect(quarantined).toMatchObject([
    {
      to: 'quarantine',
      groupId: '1',
      delaySeconds: 0,
      queue: 'events',
      messageId: '1',
      body: '{"act":"fly"}',
      reason: expect.stringContaining('"say"'),
    },
  ]);
});

test('a consumer returns an unreadable message to its queue while the quarantine is unavailable', async () => {
  const { runtime } = hostOf(false);
  expect(await read(runtime, [record('1', 'nonsense', 'a')])).toEqual(['1']);
});

test('a consumer retries a message for more than 20 hours, with pauses up to 15 minutes', async () => {
  const { runtime, hidden } = hostOf();
  for (const receives of [1, 2, 3, 5, 12, 99]) await read(runtime, [record('1', task('fail'), 'a', receives)]);
  expect(hidden.map(({ seconds }) => seconds)).toEqual([0, 0, 1, 4, 512, 900]);
  const total = Array.from({ length: MAX_RECEIVES }, (_, at) => retrySeconds(at + 1)).reduce(
    (sum, seconds) => sum + seconds,
    0,
  );
  expect(total / 3_600).toBeGreaterThan(20);
});

test('a consumer counts failed tasks by worker and error kind, but not postponed ones', async () => {
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

test('a consumer counts a repeatedly failing message only once', async () => {
  const { runtime, measured } = hostOf();
  for (const receives of [1, 2, 3, 4]) await read(runtime, [record('1', task('fail'), undefined, receives)]);
  expect(measured).toHaveLength(1);
  await read(runtime, [record('1', task('fail'), undefined, 5), record('2', task('table'))]);
  expect(measured.slice(1)).toEqual([['TasksFailed', 1, { worker: 'reader', kind: 'table' }]]);
});

test('a consumer counts messages as failed if their visibility timeout cannot be changed', async () => {
  const { runtime, measured } = hostOf();
  const hide = async () => {
    throw new Error('the queue is unavailable');
  };
  await read({ ...runtime, queues: { ...runtime.queues, hide } }, [record('1', task('again'), 'a')]);
  expect(measured).toEqual([['TasksFailed', 1, { worker: 'reader', kind: 'queue' }]]);
});

test('a consumer counts tasks postponed for more than a minute as failed', async () => {
  const { runtime, measured } = hostOf();
  await read(runtime, [record('1', task('again'), 'a', 8), record('2', task('again'), undefined, 8)]);
  expect(measured).toEqual([]);
  await read(runtime, [record('1', task('again'), 'a', 9), record('2', task('again'), undefined, 9)]);
  const failed = ['TasksFailed', 1, { worker: 'reader', kind: 'again' }];
  expect(measured).toEqual([failed, failed]);
  const pauses = Array.from({ length: 8 }, (_, at) => retrySeconds(at + 1)).reduce((sum, seconds) => sum + seconds);
  expect(pauses).toBeLessThan(120);
});

test('a consumer quarantines the first unfinished message if it keeps failing', async () => {
  const { runtime, quarantined, measured } = hostOf();
  const records = ['say', 'poison', 'say'].map((act, at) => record(String(at), task(act), 'a'));
  expect(await read(runtime, records)).toEqual(['2']);
  expect(quarantined).toMatchObject([{ messageId: '1', body: task('poison'), reason: 'the table has no such sensor' }]);
  expect(await read(runtime, [record('3', task('poison'), 'a')])).toEqual([]);
  expect(quarantined).toHaveLength(2);
  expect(measured).toEqual([]);
});

test('a consumer returns a failing message while the quarantine is unavailable, and counts it', async () => {
  const { runtime, measured } = hostOf(false);
  expect(await read(runtime, [record('1', task('poison'), 'a'), record('2', task('say'), 'a')])).toEqual(['1', '2']);
  expect(measured).toEqual([['TasksFailed', 2, { worker: 'reader', kind: 'other' }]]);
});

test('a consumer counts a message as failed again only after a thousand others have failed', async () => {
  const { runtime, measured } = hostOf();
  const fail = (...ids: number[]) =>
    read(
      runtime,
      ids.map((id) => record(String(id), task('table'))),
    );
  await fail(...Array(1_000).keys());
  expect(measured).toHaveLength(1_000);
  await fail(0, 999);
  expect(measured).toHaveLength(1_000);
  await fail(1_000);
  await fail(1);
  expect(measured).toHaveLength(1_001);
  await fail(0);
  expect(measured).toHaveLength(1_002);
});

test('a consumer logs a postponed task with the reason, but not as an error', async () => {
  const { runtime, lines } = hostOf();
  await read(runtime, [record('1', task('again'))]);
  expect(lines).toMatchObject([{ level: 'info', reason: 'later' }]);
});

test('worker control errors include their name in the message', () => {
  expect(String(new Quarantine('no'))).toBe('Quarantine: no');
  expect(String(new RetryLater('later'))).toBe('RetryLater: later');
});

/** A consumer for any objects, with a record of its work. */
const recorder = () => {
  const host = hostOf();
  const works: { tasks: unknown[]; sequences: string[]; receives: number[]; timeLeft: number }[] = [];
  const contract = consumer({
    name: 'recorder',
    queues: ['events'],
    task: z.looseObject({ requestId: z.string().optional().catch(undefined) }),
    batchSize: 10,
    concurrency: 1,
    timeoutSeconds: 30,
    uses: ['consume'],
  });
  const handler = consume(contract, async (received, { log }, timeLeft) => {
    works.push({
      tasks: received.map((message) => message.task),
      sequences: received.map(({ sequence }) => sequence),
      receives: received.map(({ receives }) => receives),
      timeLeft: timeLeft(),
    });
    log('info', 'worked');
  }).with(host.runtime);
  const context = { ...contextOf('one'), getRemainingTimeInMillis: () => 1_234 };
  const handle = (...Records: ReturnType<typeof record>[]) => handler({ Records } as unknown as SQSEvent, context);
  return { ...host, works, handle };
};

test('a consumer passes each task with its position, receive count and remaining time', async () => {
  const { works, handle } = recorder();
  await handle(record('7', '{"a":1}', 'a', 3), record('8', '{"a":2}', 'a'), record('9', '{"a":3}'));
  expect(works).toEqual([
    {
      tasks: [{ a: 1 }, { a: 2 }],
      sequences: ['7', '8'].map((id) => id.padStart(20, '0')),
      receives: [3, 1],
      timeLeft: 1_234,
    },
    { tasks: [{ a: 3 }], sequences: [''], receives: [1], timeLeft: 1_234 },
  ]);
});

test('a consumer does nothing if no message can be read', async () => {
  const { works, handle, quarantined } = recorder();
  await handle(record('1', 'not JSON'));
  expect([works, quarantined.length]).toEqual([[], 1]);
});

test('a consumer logs every task id, and the message id if there is no request id', async () => {
  const { lines, handle } = recorder();
  const ids = {
    customerId: 1,
    sensorId: 's',
    webhookId: 'w',
    deliveryId: 'd',
    replayId: 'r',
    hitId: 2,
    uuid: 'u',
    requestId: 'q',
  };
  await handle(record('1', JSON.stringify(ids)));
  await handle(record('2', '{"requestId":7}'));
  expect(lines).toMatchObject([{ messageId: '1', ...ids }, { requestId: '2' }]);
});

test('a scheduled function keeps state between runs, knows the remaining time and writes metrics', async () => {
  const { runtime, measured } = hostOf();
  const clock = scheduled({ name: 'clock', everySeconds: 60, timeoutSeconds: 60, uses: ['measure'] });
  const left: number[] = [];
  const handle = onSchedule(clock, () => {
    let runs = 0;
    return async ({ measure }, timeLeft) => {
      runs += 1;
      left.push(timeLeft());
      measure('Events', runs);
    };
  }).with(runtime);
  const context = { ...contextOf('three'), getRemainingTimeInMillis: () => 59_000 };
  await handle({} as ScheduledEvent, context);
  await handle({} as ScheduledEvent, context);
  expect(left).toEqual([59_000, 59_000]);
  expect(measured.map(([, count]) => count)).toEqual([1, 2]);
});

test('an invoked function is built once, receives events with context and logs request ids', async () => {
  const { runtime, lines } = hostOf();
  const contract = called({ name: 'echo', timeoutSeconds: 5, uses: [] });
  const build = vi.fn();
  const handle = onCall(contract, ({ log }) => {
    build();
    return async (event: string, { awsRequestId }) => {
      log('info', event);
      return `${event} ${awsRequestId}`;
    };
  }).with(runtime);
  expect(await handle('a', contextOf('four'))).toBe('a four');
  expect(await handle('b', contextOf('five'))).toBe('b five');
  expect(build).toHaveBeenCalledOnce();
  expect(lines.map(({ message, requestId, consumer: name }) => [message, requestId, name])).toEqual([
    ['a', 'four', 'echo'],
    ['b', 'five', 'echo'],
  ]);
});
