import { expect, test } from 'vitest';
import { MAX_RECEIVES, retrySeconds } from '#shared/queue/consumer.ts';
import { hostOf, read, record, task } from '#test/fixtures/reader.ts';

test('quarantines a message that alone fails five times, with the reason, and continues with its group', async () => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  const stuck = (receives: number) => [
    record('2', task('say'), 'a', receives),
    record('3', task('fail'), 'a', receives),
    record('4', task('say'), 'a', receives),
  ];
  expect(await read(runtime, stuck(5))).toEqual(['3', '4']);
  expect(await read(runtime, stuck(6))).toEqual([]);
  expect(quarantined).toMatchObject([
    { messageId: '3', reason: 'it fails on its own: Error: failed', body: task('fail') },
  ]);
});

test.each(['table', 'queue', 'keys'])('quarantines nothing during an outage of the %s', async (act) => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  expect(await read(runtime, [record('2', task(act), 'a', 60)])).toEqual(['2']);
  expect(quarantined).toEqual([]);
});

test('draws no conclusions about groups from messages without a group', async () => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say')), record('2', task('say'))]);
  expect(await read(runtime, [record('3', task('fail'), 'a', 60)])).toEqual(['3']);
  expect(quarantined).toEqual([]);
});

const MINUTE = 60_000;
/** A host whose clock a test sets, and the receives of one message until it is quarantined, with the pauses between them. */
const lonely = () => {
  const host = hostOf();
  let time = 1_800_000_000_000;
  const runtime = { ...host.runtime, now: () => time };
  const start = time;
  let receives = 0;
  /** Receives the message after its pause, with what else arrives. Returns how long (ms) ago it was received first. */
  const receive = async (act: string, others: readonly [group: string, act: string][] = []): Promise<number> => {
    time += 1_000 * retrySeconds(receives);
    receives += 1;
    for (const [group, other] of others) await read(runtime, [record(`${group}-${receives}`, task(other), group)]);
    await read(runtime, [record('1', task(act), 'a', receives)]);
    return time - start;
  };
  return { ...host, receive };
};

test('quarantines a message that keeps failing within 10 minutes although there is no other group', async () => {
  const { receive, quarantined } = lonely();
  let after = 0;
  while (quarantined.length === 0 && after < 60 * MINUTE) after = await receive('fail');
  expect(quarantined).toMatchObject([{ messageId: '1', reason: 'it fails on its own: Error: failed' }]);
  expect(after).toBeGreaterThanOrEqual(4 * MINUTE);
  expect(after).toBeLessThan(10 * MINUTE);
});

test('quarantines a message that fails alone after an outage, but not during it', async () => {
  const { receive, quarantined } = lonely();
  let outage = 0;
  while (outage < 2 * MINUTE) outage = await receive('table');
  let after = outage;
  while (quarantined.length === 0 && after < 60 * MINUTE) after = await receive('fail');
  expect(after - outage).toBeGreaterThanOrEqual(4 * MINUTE);
  expect(after - outage).toBeLessThan(10 * MINUTE);
});

test.each([
  ['each message of every group fails', 'fail', [['b', 'fail']]],
  ['the table is away', 'table', []],
  [
    'the table is away for most groups',
    'fail',
    [
      ['b', 'table'],
      ['c', 'table'],
    ],
  ],
] as const)('quarantines nothing for two hours while %s', async (_, act, others) => {
  const { receive, quarantined } = lonely();
  while ((await receive(act, [...others] as [string, string][])) < 120 * MINUTE);
  expect(quarantined).toEqual([]);
});

test('quarantines nothing while other groups fail too, or none has succeeded', async () => {
  const { runtime, quarantined } = hostOf();
  expect(await read(runtime, [record('1', task('fail'), 'a', 60)])).toEqual(['1']);
  await read(runtime, [record('2', task('say'), 'b'), record('3', task('fail'), 'c')]);
  expect(await read(runtime, [record('1', task('fail'), 'a', 60)])).toEqual(['1']);
  expect(quarantined).toEqual([]);
});

test('quarantines a redriven dead letter at its last receive, so that it does not become one again', async () => {
  const { runtime, quarantined, lines } = hostOf();
  const old = JSON.stringify({ act: 'table', receiveDate: runtime.now() - 40 * 3_600_000 });
  const young = JSON.stringify({ act: 'table', receiveDate: runtime.now() - 20 * 3_600_000 });
  expect(await read(runtime, [record('1', young, 'a', MAX_RECEIVES - 1)])).toEqual(['1']);
  expect(await read(runtime, [record('2', old, 'a', MAX_RECEIVES - 2)])).toEqual(['2']);
  expect(await read(runtime, [record('3', old, 'a', MAX_RECEIVES - 1)])).toEqual([]);
  expect(quarantined).toMatchObject([{ messageId: '3', reason: 'it was not completed, even after it was redriven' }]);
  // The message is not attempted, because that may kill the process.
  expect(lines.filter(({ messageId, kind }) => messageId === '3' && kind === 'table')).toEqual([]);
});

test('recognizes a redriven dead letter by its sent time, even if it killed its process at each receive', async () => {
  const { runtime, quarantined } = hostOf();
  const accepted = runtime.now() - 60 * 60_000;
  const body = JSON.stringify({ act: 'table', receiveDate: accepted });
  const sentAt = (time: number) => {
    const last = record('1', body, 'a', MAX_RECEIVES - 1);
    return { ...last, attributes: { ...last.attributes, SentTimestamp: String(time) } };
  };
  expect(await read(runtime, [sentAt(accepted + 20_000)])).toEqual(['1']);
  expect(await read(runtime, [sentAt(accepted + 40 * 60_000)])).toEqual([]);
  expect(quarantined).toMatchObject([{ messageId: '1', reason: 'it was not completed, even after it was redriven' }]);
});

test('returns a message at its last receive if its task has no acceptance time', async () => {
  const { runtime, quarantined } = hostOf();
  const hidden = JSON.stringify({ act: 'table', note: '{"receiveDate":1}' });
  for (const [at, body] of [task('table'), hidden, JSON.stringify({ act: 'table', receiveDate: '1' })].entries())
    expect(await read(runtime, [record(`${at}`, body, `group ${at}`, MAX_RECEIVES - 1)])).toEqual([`${at}`]);
  expect(quarantined).toEqual([]);
});
