import type { ScheduledEvent, SQSEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../../lib/local/clock.ts';
import { lambdaContext } from '../../../lib/local/pollers.ts';
import { lambdaRuntime, type Runtime } from '../../../shared/deps.ts';
import { logTo } from '../../../shared/log.ts';
import { consume, onSchedule } from '../../../shared/queue/consume.ts';
import { consumer, scheduled } from '../../../shared/queue/consumer.ts';

afterEach(() => void vi.useRealTimers());

const contract = consumer({
  name: 'reader',
  queues: ['events'],
  message: z.object({ turn: z.string().nullable(), act: z.enum(['say', 'ring', 'fail', 'hang']) }),
  batchSize: 10,
  concurrency: 1,
  timeoutSeconds: 30,
  uses: ['ring:retries'],
});
type Line = Record<string, unknown>;
/** A host whose queues take nothing, and what is logged on it. */
const hostOf = (): { runtime: Runtime; lines: Line[] } => {
  const lines: Line[] = [];
  const log = logTo((line) => lines.push(JSON.parse(line)));
  const send = () => Promise.reject(new Error('no queue here'));
  return { runtime: { ...lambdaRuntime(), log, send }, lines };
};
const contextOf = (id: string) =>
  lambdaContext({ functionName: 'reader', timeoutSeconds: 30, clock: systemClock, newId: () => id });
const batchOf = (...bodies: string[]) =>
  ({ Records: bodies.map((body, at) => ({ messageId: `m${at}`, body })) }) as SQSEvent;
const message = (act: string, turn: string | null = null) => JSON.stringify({ act, turn });

const done: string[] = [];
const reader = consume(
  contract,
  async ({ act, turn }, { log, ringRetries, pause }) => {
    if (act === 'hang') await new Promise(() => {});
    await pause(1);
    if (act === 'say') log('info', 'said', { turn });
    if (act === 'ring') await ringRetries([{ c: 1, w: 'w', j: 'held' }], 0);
    if (act === 'fail') throw new Error('failed');
    done.push(act);
  },
  ({ turn }) => turn,
);

test('every line that a consumer logs tells of which invocation and which message it is', async () => {
  const { runtime, lines } = hostOf();
  const read = reader.with(runtime);
  const bodies = [message('say'), message('ring', 'a'), message('fail', 'a'), 'not JSON', message('say', 'a')];
  await Promise.all(['one', 'two'].map((id) => read(batchOf(...bodies), contextOf(id))));
  const said = lines.map(({ requestId, messageId, consumer: who, message: what }) =>
    [requestId, who, messageId, what].join(': '),
  );
  const lineOf = (id: string) => [
    `${id}: reader: m0: said`,
    `${id}: reader: m1: bells not rung, the sweeper will`,
    `${id}: reader: m2: a message was not worked off`,
    `${id}: reader: m3: a message cannot be read`,
    `${id}: reader: m4: said`,
  ];
  expect(said.toSorted()).toEqual([...lineOf('one'), ...lineOf('two')]);
});

test('what runs by the clock tells of which invocation its lines are', async () => {
  const { runtime, lines } = hostOf();
  const clock = scheduled({ name: 'clock', everySeconds: 60, timeoutSeconds: 60, uses: ['ring:retries'] });
  const tick = onSchedule(clock, ({ ringRetries }) => ringRetries([{ c: 1, w: 'w', j: 'held' }], 0));
  await tick.with(runtime)({} as ScheduledEvent, contextOf('three'));
  expect(lines).toMatchObject([{ requestId: 'three', consumer: 'clock' }]);
});

test('a message that hangs holds up the next one of its turn for ten seconds, and no other', async () => {
  vi.useFakeTimers();
  const { runtime } = hostOf();
  const read = reader.with(runtime);
  done.length = 0;
  void read(batchOf(message('hang', 'a'), message('say', 'a'), message('ring', 'b')), contextOf('one'));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(done).toEqual(['ring']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(done).toEqual(['ring', 'say']);
});
