import { isFuture } from '../state/clock.ts';
import { type Escalation, nextRound } from './escalation.ts';
import { awaitingAnswer } from './escalation-rounds.ts';
import type { NotificationPlan } from './recipients.ts';

/** What decides when the rounds of a hit are due. */
type Scheduled = { createDate: number; escalation: Escalation };

/** Whether the steps of a hit count from a time (ms) in the future, because the clock was set back since. */
export const countsFromFuture = ({ createDate, escalation: { from = createDate } }: Scheduled, now: number): boolean =>
  isFuture(from, now);

/** Returns the latest time (ms) at which the next round of a hit can be due, if it counts from the past. */
const latestDue = (rule: NotificationPlan, { createDate, escalation }: Scheduled, now: number): number => {
  if (escalation.isHurried) return now;
  if (escalation.isLast) return awaitingAnswer(rule, escalation, now)?.at ?? now;
  const next = nextRound(rule, escalation, createDate);
  if (next?.kind === 'repeat') return now + (rule.repeatSeconds ?? 0) * 1_000;
  return next?.at ?? now;
};

/**
 * Returns an escalation without times that were counted from the future, before the clock was set back by `by` ms:
 * rounds are due as long after the hit as its rule says, and never later than that from now on. `by` is null if it is
 * only known that the task of the next round has arrived: queues do not depend on the clock, so the round is due now.
 * Null if there is nothing to correct.
 */
export const withRoundsSetBack = (
  rule: NotificationPlan,
  hit: Scheduled,
  by: number | null,
  now: number,
): Escalation | null => {
  const { createDate, escalation } = hit;
  const { from = createDate, at } = escalation;
  if (countsFromFuture(hit, now)) {
    const ahead = by ?? Math.max(0, at - now);
    return { ...escalation, from: Math.min(now, from - ahead), at: Math.min(at - ahead, now + at - from) };
  }
  const latest = latestDue(rule, hit, now);
  return isFuture(at, latest) ? { ...escalation, at: latest } : null;
};

/** Returns an open round so that the next step counts from the past: from now, if the clock was set back since. */
export const openRoundSetBack = (hit: Scheduled, now: number): Escalation => {
  const { escalation } = hit;
  return countsFromFuture(hit, now) ? { ...escalation, from: now - escalation.after * 1_000 } : escalation;
};
