import { channelKinds } from '../people/channel.ts';
import { dutyChanges } from '../people/duty.ts';
import type { DutyPlan } from '../people/shifts.ts';
import { isUrgent } from '../rule/alarm.ts';
import type { By } from '../rule/recipient.ts';
import { allRecipients, includesOnDuty } from '../rule/recipients.ts';
import type { Rule } from '../rule/rule.ts';
import { scheduleChanges } from '../time/clock-times.ts';
import { isScheduled } from '../time/wall-time.ts';

/**
 * The longest time (ms) until the next check. Some changes are not made by users: a channel turns out to be
 * undeliverable, or an issuer revokes a user's access.
 */
export const MAX_INTERVAL = 3_600_000;

/** Returns the enabled rules for urgent situations that notify the users on duty, immediately or in a later step. */
export const rulesOnDuty = (rules: readonly Rule[]): Rule[] =>
  rules.filter((rule) => rule.isEnabled && isUrgent(rule.situation) && includesOnDuty(allRecipients(rule)));

/**
 * Returns the channels used by rules to notify the users on duty. A rule only counts if its schedule includes `time`
 * (ms).
 */
export const channelsOnDuty = (rules: readonly Rule[], time: number): By[] => {
  const holding = rules.filter(({ schedule }) => schedule === null || isScheduled(schedule, time));
  const named = holding.flatMap(allRecipients).flatMap(({ onDuty, by }) => (onDuty ? by : []));
  return channelKinds.filter((kind) => named.includes(kind));
};

/** Returns when (ms) to check again whether anyone is on duty, provided that no user changes anything before then. */
export const nextDutyCheck = (rules: readonly Rule[], plan: DutyPlan, time: number): number => {
  const schedules = rules.flatMap(({ schedule }) => (schedule ? scheduleChanges(schedule, time) : []));
  return Math.min(time + MAX_INTERVAL, ...dutyChanges(plan, time), ...schedules);
};
