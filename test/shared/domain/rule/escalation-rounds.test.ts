import { describe, expect, test } from 'vitest';
import {
  type Escalation,
  isWithinQueueDelay,
  MAX_HIT_MESSAGES,
  MAX_REPEATS,
  newEscalation,
  nextRound,
  sweepCheckAt,
} from '#shared/domain/rule/escalation.ts';
import { awaitingAnswer, withClosedRound, withOpenRound } from '#shared/domain/rule/escalation-rounds.ts';
import type { NotificationPlan } from '#shared/domain/rule/recipients.ts';
import { countsFromFuture, openRoundSetBack, withRoundsSetBack } from '#shared/domain/rule/set-back-rounds.ts';

const created = 1_800_000_000_000;
const at = (seconds: number) => created + seconds * 1_000;
const plan = (steps: number[], repeatSeconds: number | null = null): NotificationPlan => ({
  recipients: [],
  repeatSeconds,
  escalation: steps.map((afterSeconds) => ({ afterSeconds, recipients: [] })),
});
const waiting = (more: Partial<Escalation> = {}): Escalation => ({
  round: 0,
  after: 0,
  repeats: 0,
  at: at(60),
  ...more,
});

test('the first round is a step, or a repeat if there are no steps', () => {
  expect(newEscalation(plan([60, 180], 300), created)).toEqual(waiting());
  expect(newEscalation(plan([], 300), created)).toEqual(waiting({ at: at(300) }));
  expect(newEscalation(plan([]), created)).toBeNull();
});

test('the first step is due at once if no one is on duty', () => {
  expect(newEscalation(plan([60]), created, true)).toEqual(waiting({ at: created, isHurried: true }));
  expect(newEscalation(plan([], 300), created, true)).toEqual(waiting({ at: at(300) }));
});

test('the next step is timed from the hit date, or from a corrected date', () => {
  const rule = plan([60, 180], 300);
  expect(nextRound(rule, waiting(), created)).toEqual({ kind: 'step', after: 60, at: at(60) });
  expect(nextRound(rule, waiting({ after: 60 }), created)).toEqual({ kind: 'step', after: 180, at: at(180) });
  expect(nextRound(rule, waiting({ after: 60, from: at(-100) }), created)).toEqual({
    kind: 'step',
    after: 180,
    at: at(80),
  });
});

test('the next round after the steps is one of up to 20 repeats', () => {
  const rule = plan([60], 300);
  expect(nextRound(rule, waiting({ after: 60, at: at(360), repeats: 19 }), created)).toEqual({
    kind: 'repeat',
    after: 60,
    at: at(360),
  });
  expect(nextRound(rule, waiting({ after: 60, repeats: 20 }), created)).toBeNull();
  expect(nextRound(plan([60]), waiting({ after: 60 }), created)).toBeNull();
  expect([MAX_REPEATS, MAX_HIT_MESSAGES]).toEqual([20, 300]);
});

test('a step brought forward never runs later than planned', () => {
  const due = (now: number) => nextRound(plan([60]), waiting({ at: now, isHurried: true }), created)?.at;
  expect([due(at(10)), due(at(90))]).toEqual([at(10), at(60)]);
});

test('opening a repeat increases the number of repeats', () => {
  const round = { kind: 'step', after: 60, at: at(60) } as const;
  const opened = { round: 3, after: 60, repeats: 1, at: at(60), open: 'step' };
  expect(withOpenRound(waiting({ round: 2, repeats: 1 }), round, false)).toEqual(opened);
  expect(withOpenRound(waiting({ round: 2, repeats: 1 }), { ...round, kind: 'repeat' }, false)).toEqual({
    ...opened,
    repeats: 2,
    open: 'repeat',
  });
  expect(withOpenRound(waiting({ round: 2, repeats: 1, from: 5 }), round, true)).toEqual({
    ...opened,
    from: 5,
    isHurried: true,
  });
});

describe('completed rounds', () => {
  const opened = waiting({ round: 1, after: 60, open: 'step', to: ['a'] });
  test('the next step is due at once if the completed round reached no one', () => {
    const rule = plan([60, 180]);
    expect(withClosedRound(rule, opened, created, at(61))).toEqual({ round: 1, after: 60, repeats: 0, at: at(180) });
    expect(withClosedRound(rule, { ...opened, isHurried: true }, created, at(61))).toEqual({
      round: 1,
      after: 60,
      repeats: 0,
      at: at(61),
      isHurried: true,
    });
    expect(withClosedRound(rule, { ...opened, from: at(-30) }, created, at(61))).toEqual({
      round: 1,
      after: 60,
      repeats: 0,
      at: at(150),
      from: at(-30),
    });
  });

  test('a repeat is timed from the completed round, or from now if already overdue', () => {
    const next = (of: Partial<Escalation>, now: number) =>
      withClosedRound(plan([60], 300), { ...opened, ...of }, created, now);
    expect(next({}, at(61))).toEqual({ round: 1, after: 60, repeats: 0, at: at(360) });
    expect(next({ isHurried: true }, at(61))).toEqual({ round: 1, after: 60, repeats: 0, at: at(360) });
    expect(next({}, at(359))?.at).toBe(at(360));
    expect(next({}, at(360))?.at).toBe(at(660));
    expect(next({}, at(4_000))?.at).toBe(at(4_300));
    // This round was decided before the clock was set back.
    expect(next({ at: at(9_000) }, at(100))?.at).toBe(at(400));
  });

  test('a completed round is the last one if no step or repeat remains', () => {
    expect(withClosedRound(plan([60]), opened, created, at(61))).toBeNull();
  });
});

describe('unanswered alarms', () => {
  const last = (rule: NotificationPlan, of: Partial<Escalation> = {}) =>
    awaitingAnswer(rule, waiting({ round: 2, after: 180, ...of }), at(200));
  const until = (seconds: number) => ({ round: 2, after: 180, repeats: 0, at: at(200 + seconds), isLast: true });
  test('an alarm counts as unanswered 1 to 15 minutes after the last step', () => {
    expect(last(plan([60, 180]))).toEqual(until(120));
    expect(last(plan([60, 180, 600]))).toEqual(until(120));
    expect(last(plan([180]))).toEqual(until(180));
    expect(last(plan([170, 180]))).toEqual(until(60));
    expect(last(plan([60, 180], 100))).toEqual(until(100));
    expect(last(plan([60, 180], 86_400))).toEqual(until(900));
    expect(last(plan([30]), { after: 30 })).toEqual({ ...until(60), after: 30 });
    expect(last(plan([60, 180]), { from: 5, repeats: 4 })).toEqual({ ...until(120), from: 5, repeats: 4 });
  });

  test('an alarm never counts as unanswered if the rule has no steps or repeats', () => {
    expect(last(plan([]))).toBeNull();
    expect(last(plan([600]))).toBeNull();
  });
});

test('rounds due within 15 minutes are queued, and the sweep checks later ones', () => {
  const now = created;
  expect([isWithinQueueDelay(at(900), now), isWithinQueueDelay(at(900) + 1, now)]).toEqual([true, false]);
  expect([sweepCheckAt(at(900), now), sweepCheckAt(at(901), now)]).toEqual([at(900), at(301)]);
});

describe('setting the clock back', () => {
  const rule = plan([60, 180], 300);
  const hit = (escalation: Partial<Escalation>) => ({ createDate: created, escalation: waiting(escalation) });
  test('steps within the clock tolerance between hosts do not count as future-dated', () => {
    expect([countsFromFuture(hit({}), created - 10_000), countsFromFuture(hit({}), created - 10_001)]).toEqual([
      false,
      true,
    ]);
    expect(countsFromFuture(hit({ from: at(-100) }), at(-50))).toBe(false);
    expect(countsFromFuture(hit({ from: at(100) }), at(50))).toBe(true);
  });

  test('setting the clock back keeps the intervals between steps', () => {
    const moved = (by: number | null, now: number) => withRoundsSetBack(rule, hit({}), by, now);
    expect(moved(3_600_000, at(-3_590))).toEqual(waiting({ from: at(-3_600), at: at(-3_540) }));
    // It is unknown how far the clock was set back, but the round is due.
    expect(moved(null, at(-3_540))).toEqual(waiting({ from: at(-3_600), at: at(-3_540) }));
    // The clock was set back further than known.
    expect(moved(1_000_000, at(-3_600))).toEqual(waiting({ from: at(-3_600), at: at(-3_540) }));
  });

  test('setting the clock back brings forward rounds that would be too late', () => {
    const set = (of: Partial<Escalation>, now: number) => withRoundsSetBack(rule, hit(of), null, now);
    expect(set({}, at(30))).toBeNull();
    expect(set({ at: at(71) }, at(30))).toEqual(waiting({ at: at(60) }));
    expect(set({ at: at(70) }, at(30))).toBeNull();
    expect(set({ after: 180, at: at(900) }, at(500))).toEqual(waiting({ after: 180, at: at(800) }));
    expect(set({ after: 180, at: at(810) }, at(500))).toBeNull();
    expect(set({ at: at(60), isHurried: true }, at(30))).toEqual(waiting({ at: at(30), isHurried: true }));
    const last = { after: 180, isLast: true, at: at(900) } as const;
    expect(set(last, at(300))).toEqual(waiting({ ...last, at: at(600) }));
    expect(withRoundsSetBack(plan([]), hit({ ...last }), null, at(300))).toEqual(waiting({ ...last, at: at(300) }));
    expect(withRoundsSetBack(plan([]), hit({ after: 180, at: at(900) }), null, at(300))?.at).toBe(at(300));
  });

  test('setting the clock back keeps the interval between an open round and the next step', () => {
    const open = { after: 60, at: at(60), open: 'step' } as const;
    expect(openRoundSetBack(hit(open), at(-3_600))).toEqual(waiting({ ...open, from: at(-3_660) }));
    expect(openRoundSetBack(hit(open), at(60))).toEqual(waiting(open));
  });
});
