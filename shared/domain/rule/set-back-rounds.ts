import { isFuture } from '../state/clock.ts';
import { type Escalation, nextRound } from './escalation.ts';
import { awaitingAnswer } from './escalation-rounds.ts';
import type { NotificationPlan } from './recipients.ts';

/** The fields that determine when the rounds for a hit are due. */
type Scheduled = { createDate: number; escalation: Escalation };

/** Whether escalation steps count from a time after `now` (ms), because the clock has been set back since. */
export const countsFromFuture = ({ createDate, escalation: { from = createDate } }: Scheduled, now: number): boolean =>
  isFuture(from, now);

/** Returns the latest time (ms) at which the next round can be due for a hit whose steps count from a past time. */
const latestDue = (rule: NotificationPlan, { createDate, escalation }: Scheduled, now: number): number => {
  if (escalation.isHurried) return now;
  if (escalation.isLast) return awaitingAnswer(rule, escalation, now)?.at ?? now;
  const next = nextRound(rule, escalation, createDate);
  if (next?.kind === 'repeat') return now + (rule.repeatSeconds ?? 0) * 1_000;
  return next?.at ?? now;
};

/**
 * Returns the escalation with corrected times after the clock was set back by `by` ms; null if there is nothing to
 * correct. The rule delays then count from the corrected hit time, and from now at the latest. `by` is null if it is
 * unknown how far the clock was set back, because only the task for the next round has arrived. Queues do not depend on
 * the clock, so the round is then due now.
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

/**
 * Returns the escalation for a hit with an open round. If the clock has been set back since the hit was created, the
 * next step counts from now.
 */
export const openRoundSetBack = (hit: Scheduled, now: number): Escalation => {
  const { escalation } = hit;
  return countsFromFuture(hit, now) ? { ...escalation, from: now - escalation.after * 1_000 } : escalation;
};
