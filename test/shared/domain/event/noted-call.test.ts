import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isAllProcessed,
  type ProcessedRun,
  RecordedCall,
  runWith,
  unprocessedCalls,
} from '#shared/domain/event/recorded-call.ts';

const call = (id: string, at: number, before?: RecordedCall): RecordedCall => ({
  id,
  at,
  ...(before && { before: { id: before.id, at: before.at } }),
});
const runOf = (...calls: readonly RecordedCall[]) => calls.reduce<ProcessedRun | undefined>(runWith, undefined);
const device = ({ id, at }: RecordedCall) => ({ notedCall: id, notedAt: at });

const a = call('a', 0);
const b = call('b', 10_000, a);
const c = call('c', 45_001, b);
const late = call('late', 60_000, b);

test('isAllProcessed is true once the newest call and those in the 45 s before it are processed', () => {
  expect(isAllProcessed(device(c), runOf(a, b, c))).toBe(true);
  expect(isAllProcessed(device(late), runOf(late))).toBe(true);
  expect(isAllProcessed(device(b), runOf(a, b))).toBe(false);
  expect(isAllProcessed(device(c), runOf(c))).toBe(false);
});

test('isAllProcessed is false if the processed calls span exactly 45 s', () => {
  const early = call('early', 45_000, b);
  expect(isAllProcessed(device(early), runOf(a, b, early))).toBe(false);
});

test('isAllProcessed is false while a newer call is pending', () => {
  expect(isAllProcessed(device(late), runOf(a, b, c))).toBe(false);
  expect(isAllProcessed(device(c), runOf(a, c, b))).toBe(false);
  expect(isAllProcessed(device(c), runOf(b, a, c))).toBe(false);
});

test('isAllProcessed is false for a device without recorded or processed calls', () => {
  expect(isAllProcessed({}, runOf(a))).toBe(false);
  expect(isAllProcessed(device(a), undefined)).toBe(false);
});

test('isAllProcessed recovers after a call that was never queued, even with calls every 10 s', () => {
  const unqueued = call('never', 55_001, c);
  const calls = [unqueued];
  for (let at = 65_001; at < 125_000; at += 10_000) calls.push(call(`at ${at}`, at, calls.at(-1)));
  const [, ...processed] = calls;
  const results = processed.map((call, index) =>
    isAllProcessed(device(call), runOf(a, b, c, ...processed.slice(0, index + 1))),
  );
  expect(results).toEqual([false, false, false, false, true, true]);
});

test('isAllProcessed is never true while a call is pending', () => {
  const timing = fc.record({
    gap: fc.integer({ min: 0, max: 60_000 }),
    queuedAfter: fc.option(fc.integer({ min: 0, max: 44_999 })),
    processedAfter: fc.integer({ min: 0, max: 100_000 }),
    redeliveredAfter: fc.option(fc.integer({ min: 0, max: 200_000 })),
  });
  let held = 0;
  const property = fc.property(fc.array(timing, { maxLength: 12 }), (timings) => {
    let at = 1_000_000;
    const recorded: RecordedCall[] = [];
    for (const { gap } of timings) {
      at += gap;
      recorded.push(call(`${recorded.length}`, at, recorded.at(-1)));
    }
    const queued = recorded
      .flatMap((call, index) => {
        const { queuedAfter = null, ...rest } = timings[index] ?? {};
        return queuedAfter === null ? [] : [{ call, time: call.at + queuedAfter, ...rest }];
      })
      .toSorted((x, y) => x.time - y.time);
    // As in a FIFO queue, no call is processed before those ahead of it.
    let free = 0;
    const processed = queued.flatMap(({ call, time, processedAfter = 0, redeliveredAfter }) => {
      free = Math.max(free, time + processedAfter);
      return [{ call, time: free }, ...(redeliveredAfter ? [{ call, time: free + redeliveredAfter }] : [])];
    });
    const pending = new Set(queued.map(({ call }) => call.id));
    let run: ProcessedRun | undefined;
    for (const { call, time } of processed.toSorted((x, y) => x.time - y.time)) {
      run = runWith(run, call);
      pending.delete(call.id);
      const newest = recorded.findLast(({ at: recordedAt }) => recordedAt <= time);
      if (!newest || !isAllProcessed(device(newest), run)) continue;
      held += 1;
      expect(recorded.filter(({ id, at: recordedAt }) => recordedAt <= time && pending.has(id))).toEqual([]);
    }
  });
  fc.assert(property, { numRuns: 3_000 });
  expect(held).toBeGreaterThan(300);
});

describe('unprocessed calls', () => {
  test('unprocessedCalls returns how many calls followed the last processed one', () => {
    const run = runWith(undefined, { ...a, seq: 7 });
    expect(run).toEqual({ last: 'a', since: 0, seq: 7 });
    expect([unprocessedCalls(10, run), unprocessedCalls(7, run), unprocessedCalls(3, run)]).toEqual([3, 0, 0]);
  });

  test('unprocessedCalls counts all calls if none has been processed', () => {
    expect(runWith(undefined, a)).not.toHaveProperty('seq');
    expect([unprocessedCalls(4, undefined), unprocessedCalls(4, runWith(undefined, a))]).toEqual([4, 4]);
  });
});

test('a recorded call survives a round trip through a task', () => {
  const recorded = { id: 'c'.repeat(64), at: 2, before: { id: 'b', at: 1 }, seq: 1 };
  expect(RecordedCall.parse(recorded)).toEqual(recorded);
  expect(RecordedCall.parse({ ...recorded, seq: 1_000_000 }).seq).toBe(1_000_000);
  expect(RecordedCall.parse({ id: 'c', at: 2 })).toEqual({ id: 'c', at: 2 });
  for (const wrong of [{ seq: 0 }, { seq: 1.5 }, { id: 'c'.repeat(65) }, { before: { id: 'b' } }])
    expect(RecordedCall.safeParse({ ...recorded, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
});
