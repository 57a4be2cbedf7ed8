import { describe, expect, test } from 'vitest';
import { MAX_RECEIVES, retrySeconds } from '#shared/queue/consumer.ts';
import { createGroupHistory, groupResult } from '#shared/worker/poison.ts';
import { tryQuarantine } from '#shared/worker/quarantine.ts';
import { hostOf, read, record, task } from '#test/fixtures/reader.ts';

test('a message is quarantined if it alone fails five times, and the group continues', async () => {
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

test.each(['table', 'queue', 'keys'])('messages are not quarantined during an outage of the %s', async (act) => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  expect(await read(runtime, [record('2', task(act), 'a', 60)])).toEqual(['2']);
  expect(quarantined).toEqual([]);
});

test('messages without a group do not count as another group', async () => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say')), record('2', task('say'))]);
  expect(await read(runtime, [record('3', task('fail'), 'a', 60)])).toEqual(['3']);
  expect(quarantined).toEqual([]);
});

const MINUTE = 60_000;
/**
 * A host whose clock the test sets, and a function that receives one message until quarantine, with the pauses in
 * between.
 */
const lonely = () => {
  const host = hostOf();
  let time = 1_800_000_000_000;
  const runtime = { ...host.runtime, now: () => time };
  const start = time;
  let receives = 0;
  /**
   * Receives the message after the pause, along with other arrivals. Returns how long (ms) ago it was first received.
   */
  const receive = async (
    act: string,
    others: readonly [group: string, act: string, otherReceives?: number][] = [],
  ): Promise<number> => {
    time += 1_000 * retrySeconds(receives);
    receives += 1;
    for (const [group, other, otherReceives] of others)
      await read(runtime, [record(`${group}-${receives}`, task(other), group, otherReceives)]);
    await read(runtime, [record('1', task(act), 'a', receives)]);
    return time - start;
  };
  return { ...host, receive };
};

test('a message that fails for 10 minutes is quarantined even if there is no other group', async () => {
  const { receive, quarantined } = lonely();
  let after = 0;
  while (quarantined.length === 0 && after < 60 * MINUTE) after = await receive('fail');
  expect(quarantined).toMatchObject([{ messageId: '1', reason: 'it fails on its own: Error: failed' }]);
  expect(after).toBeGreaterThanOrEqual(4 * MINUTE);
  expect(after).toBeLessThan(10 * MINUTE);
});

test('a message that fails alone is quarantined after an outage, but not during it', async () => {
  const { receive, quarantined } = lonely();
  let outage = 0;
  while (outage < 2 * MINUTE) outage = await receive('table');
  let after = outage;
  while (quarantined.length === 0 && after < 60 * MINUTE) after = await receive('fail');
  expect(after - outage).toBeGreaterThanOrEqual(4 * MINUTE);
  expect(after - outage).toBeLessThan(10 * MINUTE);
});

test("a message's failure time restarts after an outage", async () => {
  const { receive, quarantined } = lonely();
  let failing = 0;
  while (failing < 2 * MINUTE) failing = await receive('fail');
  await receive('table');
  const after = await receive('fail');
  expect([after > 8 * MINUTE, quarantined]).toEqual([true, []]);
  await receive('fail');
  expect(quarantined).toHaveLength(1);
});

test.each([1, 6])('groups with postponed messages are ignored (%s receives)', async (receives) => {
  const { receive, quarantined } = lonely();
  let after = 0;
  while (quarantined.length === 0 && after < 60 * MINUTE) after = await receive('fail', [['b', 'again', receives]]);
  expect(after).toBeLessThan(10 * MINUTE);
});

test.each([
  ['every message in every group fails', 'fail', [['b', 'fail']]],
  ['the table is unavailable', 'table', []],
  [
    'the table is unavailable for most groups',
    'fail',
    [
      ['b', 'table'],
      ['c', 'table'],
    ],
  ],
] as const)('messages are not quarantined for two hours while %s', async (_, act, others) => {
  const { receive, quarantined } = lonely();
  while ((await receive(act, [...others] as [string, string][])) < 120 * MINUTE);
  expect(quarantined).toEqual([]);
});

test('messages are not quarantined while other groups also fail or none has succeeded', async () => {
  const { runtime, quarantined } = hostOf();
  expect(await read(runtime, [record('1', task('fail'), 'a', 60)])).toEqual(['1']);
  await read(runtime, [record('2', task('say'), 'b'), record('3', task('fail'), 'c')]);
  expect(await read(runtime, [record('1', task('fail'), 'a', 60)])).toEqual(['1']);
  expect(quarantined).toEqual([]);
});

test('a redriven dead letter is quarantined at the last receive', async () => {
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

test('a redriven dead letter is recognized by its sent time, even if it always crashed the process', async () => {
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

test('a message without a receive date is returned at the last receive', async () => {
  const { runtime, quarantined } = hostOf();
  const hidden = JSON.stringify({ act: 'table', note: '{"receiveDate":1}' });
  for (const [at, body] of [task('table'), hidden, JSON.stringify({ act: 'table', receiveDate: '1' })].entries())
    expect(await read(runtime, [record(`${at}`, body, `group ${at}`, MAX_RECEIVES - 1)])).toEqual([`${at}`]);
  expect(quarantined).toEqual([]);
});

test('a group is processed one message at a time once any message is stuck', async () => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  expect(await read(runtime, [record('2', task('fail'), 'a', 6), record('3', task('say'), 'a', 1)])).toEqual([]);
  expect(quarantined).toMatchObject([{ messageId: '2' }]);
});

test('messages behind a stuck one are not quarantined at the first failure', async () => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  expect(await read(runtime, [record('2', task('say'), 'a', 6), record('3', task('fail'), 'a', 1)])).toEqual(['3']);
  expect(quarantined).toEqual([]);
});

test('a stuck message is processed only once if it succeeds', async () => {
  const { runtime, lines } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  await read(runtime, [record('2', task('say'), 'a', 6)]);
  expect(lines.map(({ messageId }) => messageId)).toEqual(['1', '2']);
});

test('a stuck message that fails after completing its task does not block others', async () => {
  const { runtime } = hostOf();
  expect(await read(runtime, [record('1', task('half'), 'a', 6), record('2', task('say'), 'a', 6)])).toEqual([]);
});

test('a stuck group is returned starting with the first failure', async () => {
  const { runtime } = hostOf();
  const records = ['say', 'table', 'say'].map((act, at) => record(String(at), task(act), 'a', 6));
  expect(await read(runtime, records)).toEqual(['1', '2']);
});

test('leftovers from an earlier message are quarantined only at the last attempt', async () => {
  const { runtime, quarantined } = hostOf();
  await read(runtime, [record('1', task('say'), 'other')]);
  expect(await read(runtime, [record('2', task('remains'), 'a', 5)])).toEqual(['2']);
  expect(quarantined).toEqual([]);
  expect(await read(runtime, [record('2', task('remains'), 'a', 6)])).toEqual([]);
  expect(quarantined).toMatchObject([
    { messageId: '2', queue: 'events', body: '{"left":"behind"}', reason: 'it cannot be finished' },
  ]);
  expect(quarantined).toHaveLength(1);
});

test('stuck groups are included when groups are compared', async () => {
  const failing = hostOf();
  await read(failing.runtime, [record('1', task('fail'), 'b', 6), record('2', task('fail'), 'c', 6)]);
  await read(failing.runtime, [record('3', task('say'), 'd')]);
  expect(await read(failing.runtime, [record('4', task('fail'), 'a', 60)])).toEqual(['4']);
  const working = hostOf();
  await read(working.runtime, [record('1', task('say'), 'b', 6)]);
  expect(await read(working.runtime, [record('2', task('fail'), 'a', 60)])).toEqual([]);
  expect(working.quarantined).toHaveLength(1);
});

test('a group counts as healthy after its last message is quarantined', async () => {
  const alone = hostOf();
  await read(alone.runtime, [record('1', task('poison'), 'b')]);
  expect(await read(alone.runtime, [record('2', task('fail'), 'a', 60)])).toEqual([]);
  const others = hostOf();
  await read(others.runtime, [record('1', task('say'), 'c')]);
  await read(others.runtime, [record('2', task('poison'), 'b'), record('3', task('say'), 'b')]);
  expect(await read(others.runtime, [record('4', task('fail'), 'a', 60)])).toEqual([]);
});

test('a redriven dead letter is returned at the last receive while the quarantine is unavailable', async () => {
  const { runtime, lines } = hostOf(false);
  const old = JSON.stringify({ act: 'table', receiveDate: runtime.now() - 40 * 3_600_000 });
  expect(await read(runtime, [record('1', old, 'a', MAX_RECEIVES - 1)])).toEqual(['1']);
  expect(lines.map(({ message }) => message)).toContain('the quarantine is unavailable');
});

test('a dead letter counts as redriven if it is much older than its sent time', async () => {
  const now = 1_800_000_000_000;
  const host = hostOf();
  const runtime = { ...host.runtime, now: () => now };
  const lifetime = Array.from({ length: MAX_RECEIVES }, (_, at) => 1_000 * retrySeconds(at + 1)).reduce(
    (sum, ms) => sum + ms,
  );
  const last = (accepted: number, sent: number) => {
    const message = record('1', JSON.stringify({ act: 'table', receiveDate: accepted }), 'a', MAX_RECEIVES - 1);
    return { ...message, attributes: { ...message.attributes, SentTimestamp: String(sent) } };
  };
  const half = 30 * MINUTE;
  expect(await read(runtime, [last(now - half, now)])).toEqual(['1']);
  expect(await read(runtime, [last(now - half - 1, now)])).toEqual([]);
  const old = now - 1.5 * lifetime;
  expect(await read(runtime, [last(old, old)])).toEqual(['1']);
  expect(await read(runtime, [last(old - 1, old - 1)])).toEqual([]);
});

test('a quarantine reason is shortened to fit into a queue message', async () => {
  const { runtime, quarantined } = hostOf();
  expect(await tryQuarantine(runtime, record('1', '{}') as never, 'x'.repeat(1_001))).toBe(true);
  expect(quarantined).toMatchObject([{ reason: 'x'.repeat(1_000) }]);
});

test('only failures in the code itself count against a group', () => {
  const failed = { kind: 'failed', left: [], error: null } as const;
  expect(groupResult({ kind: 'done' })).toBe('done');
  expect(groupResult({ ...failed, failure: 'other' })).toBe('failed');
  for (const failure of ['table', 'queue', 'keys'] as const) expect(groupResult({ ...failed, failure })).toBe('outage');
});

describe('group history', () => {
  const historyAt = () => {
    let time = 1_800_000_000_000;
    const history = createGroupHistory(() => time);
    const note = (count: number, name: string, result: 'done' | 'failed') => {
      for (let at = 0; at < count; at++) history.note(`${name}${at}`, result);
    };
    const pass = (ms: number) => {
      time += ms;
    };
    return { ...history, noteMany: note, pass };
  };

  test('group history remembers the results of other groups for 15 minutes', () => {
    const { note, failsAlone, pass } = historyAt();
    note('b', 'done');
    note('a', 'failed');
    pass(15 * MINUTE - 1);
    note('a', 'failed');
    note('c', 'failed');
    expect(failsAlone('a')).toBe(false);
    note('d', 'done');
    expect(failsAlone('a')).toBe(true);
    pass(1);
    expect(failsAlone('a')).toBe(false);
  });

  test('group history tolerates a failing group for four minutes if there are no other groups', () => {
    const { note, failsAlone, pass } = historyAt();
    expect(failsAlone('a')).toBe(false);
    note('a', 'failed');
    pass(4 * MINUTE - 1);
    expect(failsAlone('a')).toBe(false);
    pass(1);
    expect(failsAlone('a')).toBe(true);
    note('a', 'done');
    note('a', 'failed');
    expect(failsAlone('a')).toBe(false);
  });

  test('group history contains at most a thousand groups', () => {
    const { note, noteMany, failsAlone } = historyAt();
    noteMany(500, 'd', 'done');
    noteMany(499, 'f', 'failed');
    note('a', 'failed');
    expect(failsAlone('a')).toBe(true);
  });

  test('group history drops the least recently seen group first', () => {
    const { note, noteMany, failsAlone } = historyAt();
    note('first', 'done');
    noteMany(500, 'f', 'failed');
    note('a', 'failed');
    noteMany(498, 'd', 'done');
    note('first', 'done');
    expect(failsAlone('a')).toBe(false);
    note('last', 'done');
    expect(failsAlone('a')).toBe(true);
  });
});
