import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAllJudged, type JudgedRun, type NotedCall, runWith } from '#shared/domain/event/noted-call.ts';

const call = (id: string, at: number, before?: NotedCall): NotedCall => ({
  id,
  at,
  ...(before && { before: { id: before.id, at: before.at } }),
});
const runOf = (...calls: readonly NotedCall[]) => calls.reduce<JudgedRun | undefined>(runWith, undefined);
const device = ({ id, at }: NotedCall) => ({ notedCall: id, notedAt: at });

const a = call('a', 0);
const b = call('b', 10_000, a);
const c = call('c', 45_001, b);
const late = call('late', 60_000, b);

describe('all noted calls of a device are judged', () => {
  test('when the newest is, and those of the last 45 s before it, or none was noted then', () => {
    expect(isAllJudged(device(c), runOf(a, b, c))).toBe(true);
    expect(isAllJudged(device(late), runOf(late))).toBe(true);
    expect(isAllJudged(device(b), runOf(a, b))).toBe(false);
    expect(isAllJudged(device(c), runOf(c))).toBe(false);
  });

  test('not while a newer one waits, and not when they came in another order', () => {
    expect(isAllJudged(device(late), runOf(a, b, c))).toBe(false);
    expect(isAllJudged(device(c), runOf(a, c, b))).toBe(false);
    expect(isAllJudged(device(c), runOf(b, a, c))).toBe(false);
  });

  test('not of a device that never noted a call, or of a sensor that was never judged', () => {
    expect(isAllJudged({}, runOf(a))).toBe(false);
    expect(isAllJudged(device(a), undefined)).toBe(false);
  });

  test('is found again after a call that was never queued, even when one comes every 10 s', () => {
    const never = call('never', 55_001, c);
    const calls = [never];
    for (let at = 65_001; at < 125_000; at += 10_000) calls.push(call(`at ${at}`, at, calls.at(-1)));
    const [, ...judged] = calls;
    const opens = judged.map((call, at) => isAllJudged(device(call), runOf(a, b, c, ...judged.slice(0, at + 1))));
    expect(opens).toEqual([false, false, false, false, true, true]);
  });

  test('is never said while one of them waits, in whatever order they are queued, come again or are never queued', () => {
    const timing = fc.record({
      gap: fc.integer({ min: 0, max: 60_000 }),
      queuedAfter: fc.option(fc.integer({ min: 0, max: 44_999 })),
      judgedAfter: fc.integer({ min: 0, max: 100_000 }),
      again: fc.option(fc.integer({ min: 0, max: 200_000 })),
    });
    let said = 0;
    const property = fc.property(fc.array(timing, { maxLength: 12 }), (all) => {
      let at = 1_000_000;
      const noted: NotedCall[] = [];
      for (const { gap } of all) {
        at += gap;
        noted.push(call(`${noted.length}`, at, noted.at(-1)));
      }
      const queued = noted
        .flatMap((call, place) => {
          const { queuedAfter = null, ...rest } = all[place] ?? {};
          return queuedAfter === null ? [] : [{ call, time: call.at + queuedAfter, ...rest }];
        })
        .toSorted((x, y) => x.time - y.time);
      // A queue in order: none is judged before one that is in front of it.
      let free = 0;
      const judged = queued.flatMap(({ call, time, judgedAfter = 0, again }) => {
        free = Math.max(free, time + judgedAfter);
        return [{ call, time: free, isFirst: true }, ...(again ? [{ call, time: free + again, isFirst: false }] : [])];
      });
      const waiting = new Set(queued.map(({ call }) => call.id));
      let run: JudgedRun | undefined;
      for (const { call, time } of judged.toSorted((x, y) => x.time - y.time)) {
        run = runWith(run, call);
        waiting.delete(call.id);
        const newest = noted.findLast(({ at: notedAt }) => notedAt <= time);
        if (!newest || !isAllJudged(device(newest), run)) continue;
        said += 1;
        expect(noted.filter(({ id, at: notedAt }) => notedAt <= time && waiting.has(id))).toEqual([]);
      }
    });
    fc.assert(property, { numRuns: 3_000 });
    expect(said).toBeGreaterThan(300);
  });
});
