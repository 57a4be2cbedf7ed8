import { type Escalation, type Kind, type Round, roundAfter, waitingFor } from './escalation.ts';
import type { NotificationPlan } from './recipients.ts';

/**
 * Returns the escalation after a round has been decided. `nobodyOnDuty`: the round is for users on duty, but there are
 * none.
 */
export const withOpenRound = (
  { round, repeats, from }: Escalation,
  { kind, after, at }: Round,
  nobodyOnDuty: boolean,
): Escalation & { open: Kind } => ({
  round: round + 1,
  after,
  at,
  ...(from && { from }),
  open: kind,
  repeats: kind === 'repeat' ? repeats + 1 : repeats,
  ...(nobodyOnDuty && { isHurried: true }),
});

/**
 * Returns the escalation after an open round has been completed at the given time (ms); null if it was the last round.
 * Repeats missed during an outage are not made up for; only a single repeat follows. An open round due in the future
 * was decided before the clock was set back.
 */
export const withClosedRound = (
  rule: NotificationPlan,
  escalation: Escalation,
  createDate: number,
  now: number,
): Escalation | null => {
  const { round, after, repeats, from, isHurried } = escalation;
  const progress = { after, repeats, at: now, ...(from && { from }), ...(isHurried && { isHurried }) };
  const at = Math.min(escalation.at, now);
  const next = roundAfter(rule, progress, createDate, (ms) => (at + ms > now ? at + ms : now + ms));
  return next && waitingFor(round, progress, next, after);
};

/** The minimum and maximum time (s) people have to acknowledge an alarm after its last round. */
const ANSWER_SECONDS = { min: 60, max: 900 };

/**
 * Returns the escalation after the last round was sent at `now` (ms). It waits for an acknowledgement for as long as
 * the interval between the last two rounds. Null if the rule has neither steps nor repeats.
 */
export const awaitingAnswer = (
  { escalation: steps, repeatSeconds }: NotificationPlan,
  { round, after, repeats, from }: Escalation,
  now: number,
): Escalation | null => {
  const sent = steps.map(({ afterSeconds }) => afterSeconds).filter((seconds) => seconds <= after);
  const [last, before = 0] = sent.toReversed();
  const interval = repeatSeconds ?? (last === undefined ? null : last - before);
  if (interval === null) return null;
  const seconds = Math.min(ANSWER_SECONDS.max, Math.max(ANSWER_SECONDS.min, interval));
  return { round, after, repeats, at: now + seconds * 1_000, ...(from && { from }), isLast: true };
};
