import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Escalation, newEscalation, nextRound } from '#shared/domain/rule/escalation.ts';
import { withClosedRound, withOpenRound } from '#shared/domain/rule/escalation-rounds.ts';
import type { NotificationPlan } from '#shared/domain/rule/recipients.ts';
import { openRoundSetBack, withRoundsSetBack } from '#shared/domain/rule/set-back-rounds.ts';

const DAY = 86_400_000;
const rules: fc.Arbitrary<NotificationPlan> = fc
  .record({
    seconds: fc.uniqueArray(fc.integer({ min: 30, max: 86_400 }), { minLength: 1, maxLength: 5 }),
    repeatSeconds: fc.option(fc.integer({ min: 60, max: 86_400 })),
  })
  .map(({ seconds, repeatSeconds }) => ({
    recipients: [],
    repeatSeconds,
    escalation: seconds.toSorted((a, b) => a - b).map((afterSeconds) => ({ afterSeconds, recipients: [] })),
  }));

type Progress = { escalation: Escalation | null; lastRound: number };
/** An escalation after some rounds, all decided on time by a fast clock, and the time (ms) of the last round. */
const progressAfter = (rule: NotificationPlan, createDate: number, rounds: number): Progress => {
  let escalation = newEscalation(rule, createDate);
  let lastRound = createDate;
  for (let n = 0; n < rounds && escalation; n++) {
    const round = nextRound(rule, escalation, createDate);
    if (!round) throw new Error('an open escalation has no next round');
    lastRound = round.at;
    escalation = withClosedRound(rule, withOpenRound(escalation, round, false), createDate, lastRound);
  }
  return { escalation, lastRound };
};
const runs = fc.record({
  rule: rules,
  rounds: fc.integer({ min: 0, max: 8 }),
  ahead: fc.integer({ min: 20_000, max: 30 * DAY }),
  /** How long (ms) after the last round the clock was set back. */
  afterMs: fc.integer({ min: 0, max: 30_000 }),
  isOffsetKnown: fc.boolean(),
});

test('setting the clock back never delays a round', () => {
  fc.assert(
    fc.property(runs, ({ rule, rounds, ahead, afterMs, isOffsetKnown }) => {
      const createDate = 1_800_000_000_000;
      const { escalation, lastRound } = progressAfter(rule, createDate, rounds);
      const now = lastRound + afterMs - ahead;
      fc.pre(escalation !== null);
      if (!escalation) return;
      const corrected =
        withRoundsSetBack(rule, { createDate, escalation }, isOffsetKnown ? ahead : null, now) ?? escalation;
      const next = nextRound(rule, corrected, createDate);
      const delay = escalation.at - createDate;
      // Host clocks differ by up to 10 s.
      expect(corrected.at).toBeLessThanOrEqual(now + delay + 10_000);
      if (createDate > now + 10_000) {
        if (isOffsetKnown) expect(corrected.at).toBe(escalation.at - ahead);
        else expect(corrected.at).toBeLessThanOrEqual(now);
        expect(next?.at).toBe(corrected.at);
        // Nothing left to correct.
        expect(withRoundsSetBack(rule, { createDate, escalation: corrected }, 0, now)?.at ?? corrected.at).toBe(
          corrected.at,
        );
      }
    }),
  );
});

/** A rule with steps after 30 s and 300 s, and no repeats. */
const twoSteps: NotificationPlan = {
  recipients: [],
  repeatSeconds: null,
  escalation: [30, 300].map((afterSeconds) => ({ afterSeconds, recipients: [] })),
};

test('a round decided while the clock was ahead does not change the interval to the next', () => {
  const now = 1_800_000_000_000;
  const createDate = now + DAY;
  const escalation = newEscalation(twoSteps, createDate);
  const round = escalation && nextRound(twoSteps, escalation, createDate);
  if (!escalation || !round) throw new Error('the rule has steps');
  const open = openRoundSetBack({ createDate, escalation: withOpenRound(escalation, round, false) }, now);
  expect(withClosedRound(twoSteps, open, createDate, now)?.at).toBe(now + 270_000);
});

test('a repeat planned while the clock was ahead is due one interval from now', () => {
  const rule = { recipients: [], repeatSeconds: 600, escalation: [] };
  const now = 1_800_000_000_000;
  const createDate = now - DAY;
  const escalation = { round: 3, after: 0, repeats: 3, at: now + DAY };
  expect(withRoundsSetBack(rule, { createDate, escalation }, DAY, now)?.at).toBe(now + 600_000);
  expect(
    withRoundsSetBack(rule, { createDate, escalation: { ...escalation, at: now + 500_000 } }, DAY, now),
  ).toBeNull();
});

test('setting the clock back does not extend the wait for an answer to the last round', () => {
  const now = 1_800_000_000_000;
  const escalation = { round: 2, after: 300, repeats: 0, at: now + DAY, isLast: true as const };
  const hit = { createDate: now - 3_600_000, escalation };
  expect(withRoundsSetBack(twoSteps, hit, DAY, now)).toEqual({ ...escalation, at: now + 270_000 });
  const waiting = { ...hit, escalation: { ...escalation, at: now + 270_000 } };
  expect(withRoundsSetBack(twoSteps, waiting, DAY, now)).toBeNull();
});
