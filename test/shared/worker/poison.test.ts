import { expect, test } from 'vitest';
import { MAX_RECEIVES } from '#shared/queue/consumer.ts';
import { hostOf, read, record, task } from '#test/fixtures/reader.ts';

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

test('neither does one that killed its process at each receive, whose lives are short: it was sent anew when it was put back', async () => {
  const { runtime, aside } = hostOf();
  const accepted = runtime.now() - 60 * 60_000;
  const body = JSON.stringify({ act: 'table', receiveDate: accepted });
  const sentAt = (time: number) => {
    const last = record('1', body, 'a', MAX_RECEIVES - 1);
    return { ...last, attributes: { ...last.attributes, SentTimestamp: String(time) } };
  };
  expect(await read(runtime, [sentAt(accepted + 20_000)])).toEqual(['1']);
  expect(await read(runtime, [sentAt(accepted + 40 * 60_000)])).toEqual([]);
  expect(aside).toMatchObject([{ messageId: '1', reason: 'it was not done, also after it was put back' }]);
});
