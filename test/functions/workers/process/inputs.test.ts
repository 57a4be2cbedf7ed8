import { describe, expect, test } from 'vitest';
import type { ProcessDeps } from '#functions/workers/process/context.ts';
import {
  isLikelyEvent,
  judgedUpTo,
  mayHaveDecision,
  readInputs,
  type SensorInput,
  wasJudged,
} from '#functions/workers/process/inputs.ts';
import type { ProcessMessages } from '#shared/queue/task.ts';
import { customerId, sensorId, some } from '#test/fixtures/alarm-stubs.ts';
import { fallMessage } from '#test/fixtures/home.ts';
import { NOW, readsOf, stubDeps } from '#test/fixtures/stub-deps.ts';

const notice = { notice: 'unnotified', receiveDate: NOW - 9 };
const read = (...received: object[]) =>
  readInputs(stubDeps<ProcessDeps>({ events: { notice: readsOf({ n1: notice }) } }).deps, some(received));
const task = (more: Partial<ProcessMessages>): ProcessMessages => ({
  type: 'process_messages',
  customerId,
  sensorId,
  manufacturer: 'maker_a',
  receiveDate: NOW,
  first: 0,
  messages: [],
  ...more,
});
const received = (of: object, sequence = '5', receives = 1) => ({ task: of, sequence, receives });
const noted = { id: 'call', at: NOW - 1 };
const fall = JSON.stringify(fallMessage('calling', NOW));
const presence = JSON.stringify({ type: 4, payload: { presenceDetected: true, timestamp: NOW } });

describe('reading inputs', () => {
  test('a task is split into one input per message', async () => {
    const of = received(task({ messages: ['1', '2', '3'], first: 7, requestId: 'q', noted }));
    const common = { kind: 'message', received: of, receiveDate: NOW, requestId: 'q', decoded: expect.anything() };
    expect(await read(of)).toEqual([
      { ...common, position: '5#000', raw: '1', at: 7 },
      { ...common, position: '5#001', raw: '2', at: 8 },
      // The call is recorded as processed along with the last message.
      { ...common, position: '5#002', raw: '3', at: 9, noted },
    ]);
  });

  test('inputs are in the same order as the tasks', async () => {
    const call = received(task({ requestId: 'q', noted }));
    const ofNotice = received({ type: 'process_notice', customerId, sensorId, uuid: 'n1', requestId: 'r' }, '6');
    const gone = received({ type: 'process_notice', customerId, sensorId, uuid: 'n2' }, '7');
    expect(await read(gone, call, ofNotice)).toEqual([
      { kind: 'call', received: call, position: '5#000', receiveDate: NOW, requestId: 'q', noted },
      {
        kind: 'notice',
        received: ofNotice,
        position: '6#000',
        receiveDate: NOW - 9,
        requestId: 'r',
        uuid: 'n1',
        notice,
      },
    ]);
  });

  test('falls, bed exits and notices are expected to create an event', async () => {
    const leaves = { kind: 'message', decoded: { signal: { kind: 'bed_exit' } } };
    const inputs = [...(await read(received(task({ messages: [fall, presence] })), received(task({})))), some(leaves)];
    expect(inputs.map(isLikelyEvent)).toEqual([true, false, false, true]);
    expect(isLikelyEvent(some({ kind: 'notice' }))).toBe(true);
  });
});

const input = (position: string, receiveDate: number, more: object = {}): SensorInput =>
  some({ position, receiveDate, received: { receives: 1 }, ...more });
const judged = { position: '5#001', receiveDate: NOW };

describe('recognizing judged inputs', () => {
  test('inputs up to the last judged position count as judged', () => {
    const places = ['5#000', '5#001', '5#002', '6#000'];
    expect(places.map((place) => wasJudged(input(place, NOW), judged))).toEqual([true, true, false, false]);
    expect(wasJudged(input('0#000', NOW), undefined)).toBe(false);
  });

  test('an input with an earlier position counts as new if received more than ten seconds later', () => {
    expect(wasJudged(input('0#000', NOW + 10_000), judged)).toBe(true);
    expect(wasJudged(input('0#000', NOW + 10_001), judged)).toBe(false);
  });
});

test('a redelivered input means that a decision may be incomplete', () => {
  const later = input('6#000', NOW + 1);
  expect(mayHaveDecision([later], judged)).toBe(false);
  expect(mayHaveDecision([later, input('7#000', NOW)], judged)).toBe(true);
  expect(mayHaveDecision([later, input('7#000', NOW + 1, { received: { receives: 2 } })], judged)).toBe(true);
  expect(Boolean(mayHaveDecision([later], undefined))).toBe(false);
});

test("judgedUpTo returns the last input's position and the latest receive time", () => {
  const inputs = [input('6#000', NOW + 5), input('6#001', NOW + 3)];
  expect(judgedUpTo(inputs, judged, NOW)).toEqual({ position: '6#001', receiveDate: NOW + 5 });
  expect(judgedUpTo([input('6#000', NOW - 5)], judged, NOW)).toEqual({ position: '6#000', receiveDate: NOW });
  expect(judgedUpTo([input('6#000', NOW - 5)], undefined, NOW)).toEqual({ position: '6#000', receiveDate: NOW - 5 });
  expect(judgedUpTo([], judged, NOW)).toBeUndefined();
});

test('judgedUpTo ignores a previous time in the future', () => {
  const before = { ...judged, receiveDate: NOW + 10_001 };
  expect(judgedUpTo([input('6#000', NOW)], before, NOW)?.receiveDate).toBe(NOW);
  const skewed = { ...judged, receiveDate: NOW + 10_000 };
  expect(judgedUpTo([input('6#000', NOW)], skewed, NOW)?.receiveDate).toBe(NOW + 10_000);
});

test('judgedUpTo follows the chain of recorded calls', () => {
  const call = (id: string, before: string) => ({ noted: { id, at: NOW, before: { id: before, at: NOW - 1 } } });
  const inputs = [input('6#000', NOW, call('b', 'a')), input('7#000', NOW), input('8#000', NOW, call('c', 'b'))];
  const run = { last: 'a', since: 1 };
  expect(judgedUpTo(inputs, { ...judged, run }, NOW)?.run).toEqual({ last: 'c', since: 1 });
  expect(judgedUpTo([input('6#000', NOW)], { ...judged, run }, NOW)?.run).toEqual(run);
});
