import type { ScheduledEvent, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../../lib/local/clock.ts';
import { lambdaContext } from '../../../lib/local/invocation.ts';
import { KeysUnavailable } from '../../../shared/auth/unavailable.ts';
import type { Runtime } from '../../../shared/deps.ts';
import { lambdaRuntime } from '../../../shared/lambda-runtime.ts';
import { logTo } from '../../../shared/log.ts';
import { buffered, type Measured } from '../../../shared/metrics.ts';
import { consumer, MAX_RECEIVES, retrySeconds, scheduled } from '../../../shared/queue/consumer.ts';
import { QueueUnavailable } from '../../../shared/queue/unavailable.ts';
import { TableUnavailable } from '../../../shared/store/unavailable.ts';
import { consume } from '../../../shared/worker/consume.ts';
import { ComeAgain } from '../../../shared/worker/failure.ts';
import { onSchedule } from '../../../shared/worker/on-host.ts';

const contract = consumer({
  name: 'reader',
  queues: ['events'],
  task: z.object({
    act: z.enum(['say', 'fail', 'half', 'table', 'queue', 'keys', 'again']),
    deliveryId: z.string().optional(),
    note: z.string().optional(),
  }),
  batchSize: 10,
  concurrency: 1,
  timeoutSeconds: 30,
  uses: ['consume'],
});
type Line = Record<string, unknown>;
type Hidden = { handles: readonly string[]; seconds: number };
/** A host that tells what is logged on it, put aside, and shown again. */
const hostOf = (isQuarantineThere = true) => {
  const [lines, aside, hidden]: [Line[], Line[], Hidden[]] = [[], [], []];
  const metrics = buffered(
    async (all) => void measured.push(...all),
    () => {},
  );
  const measured: Measured[] = [];
  const queues: Runtime['queues'] = {
    send: async (queue, messages) => {
      if (!isQuarantineThere) throw new Error('the queue takes nothing');
      for (const { body } of messages) aside.push({ queue, ...JSON.parse(body) });
    },
    hide: async (_, handles, seconds) => void hidden.push({ handles, seconds }),
    redrive: async () => {},
  };
  const log = logTo((line) => lines.push(JSON.parse(line)));
  return { runtime: { ...lambdaRuntime(), log, queues, metrics }, lines, aside, hidden, measured };
};
const contextOf = (id: string) =>
  lambdaContext({ functionName: 'reader', timeoutSeconds: 30, clock: systemClock, newId: () => id });

/** A record; with a group, of a FIFO queue. */
const record = (messageId: string, body: string, group?: string, receives = 1) => ({
  ...{ messageId, body, receiptHandle: `h-${messageId}`, eventSourceARN: 'arn:aws:sqs:r:1:events' },
  attributes: {
    ApproximateReceiveCount: String(receives),
    ...(group && { MessageGroupId: group, SequenceNumber: messageId.padStart(20, '0') }),
  },
});
const handlers = new WeakMap<Runtime, ReturnType<typeof reader.with>>();
/** Calls the handler of a host, which is made once. */
const read = (runtime: Runtime, records: readonly ReturnType<typeof record>[], id = 'one') => {
  const handle = handlers.get(runtime) ?? reader.with(runtime);
  handlers.set(runtime, handle);
  return handle({ Records: records } as unknown as SQSEvent, contextOf(id)).then(({ batchItemFailures }) =>
    batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
  );
};
const task = (act: string) => JSON.stringify({ act });

const failures = {
  table: new TableUnavailable('throttled'),
  queue: new QueueUnavailable('took nothing'),
  keys: new KeysUnavailable('no keys'),
  again: new ComeAgain('later'),
};
const reader = consume(contract, async (received, { log, pause }) => {
  for (const { task, done, sequence } of received) {
    await pause(1);
    if (task.act === 'say') log('info', 'said', { sequence });
    if (task.act === 'half') done();
    if (task.act !== 'say') throw failures[task.act as keyof typeof failures] ?? new Error('failed');
    done();
  }
});

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
    ...[record('1', task('say'), 'a'), record('2', task('say'), 'b'), record('3', task('fail'), 'a')],
    ...[record('4', task('say'), 'a'), record('5', task('say'), 'b')],
  ];
  expect(await read(runtime, records)).toEqual(['3', '4']);
  expect(hidden).toEqual([{ handles: ['h-3', 'h-4'], seconds: 0 }]);
});

test('of a standard queue each message stands for itself, also within a group', async () => {
  const { runtime } = hostOf();
  const inGroup = (one: ReturnType<typeof record>) => ({
    ...one,
    attributes: { ...one.attributes, MessageGroupId: 'a' },
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
  const all = Array.from({ length: MAX_RECEIVES }, (_, at) => retrySeconds(at + 1)).reduce((sum, one) => sum + one, 0);
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

test('a message that fails by itself five times is put aside with its reason, and its group goes on', async () => {
  const { runtime, aside } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  const stuck = (receives: number) => [
    record('2', task('say'), 'a', receives),
    record('3', task('fail'), 'a', receives),
    record('4', task('say'), 'a', receives),
  ];
  expect(await read(runtime, stuck(5))).toEqual(['3', '4']);
  expect(await read(runtime, stuck(6))).toEqual([]);
  expect(aside).toMatchObject([{ messageId: '3', reason: 'it fails by itself: Error: failed', body: task('fail') }]);
});

test.each(['table', 'queue', 'keys'])('an outage of the %s puts nothing aside', async (act) => {
  const { runtime, aside } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  expect(await read(runtime, [record('2', task(act), 'a', 60)])).toEqual(['2']);
  expect(aside).toEqual([]);
});

test('what belongs to no group says nothing about others', async () => {
  const { runtime, aside } = hostOf();
  await read(runtime, [record('1', task('say')), record('2', task('say'))]);
  expect(await read(runtime, [record('3', task('fail'), 'a', 60)])).toEqual(['3']);
  expect(aside).toEqual([]);
});

test('where other groups fail too, or none was seen to succeed, nothing is put aside', async () => {
  const { runtime, aside } = hostOf();
  expect(await read(runtime, [record('1', task('fail'), 'a', 60)])).toEqual(['1']);
  await read(runtime, [record('2', task('say'), 'b'), record('3', task('fail'), 'c')]);
  expect(await read(runtime, [record('1', task('fail'), 'a', 60)])).toEqual(['1']);
  expect(aside).toEqual([]);
});

test('a dead letter that was put back does not become one again: it is put aside at its last receive', async () => {
  const { runtime, aside, lines } = hostOf();
  const old = JSON.stringify({ act: 'table', receiveDate: runtime.now() - 40 * 3_600_000 });
  const young = JSON.stringify({ act: 'table', receiveDate: runtime.now() - 20 * 3_600_000 });
  expect(await read(runtime, [record('1', young, 'a', MAX_RECEIVES - 1)])).toEqual(['1']);
  expect(await read(runtime, [record('2', old, 'a', MAX_RECEIVES - 2)])).toEqual(['2']);
  expect(await read(runtime, [record('3', old, 'a', MAX_RECEIVES - 1)])).toEqual([]);
  expect(aside).toMatchObject([{ messageId: '3', reason: 'it was not done, also after it was put back' }]);
  // It is not tried once more: what it is may kill the process.
  expect(lines.filter(({ messageId, kind }) => messageId === '3' && kind === 'table')).toEqual([]);
});
