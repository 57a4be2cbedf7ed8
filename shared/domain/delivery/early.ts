import { timeOfUlid } from '../ids.ts';
import { isAlarmAboutPerson, urgentSituationOf } from '../rule/alarm.ts';
import { isFuture } from '../state/clock.ts';
import type { Delivery } from './delivery.ts';
import type { WebhookRecord } from './webhook.ts';

/**
 * After an outage, the first success of a receiver makes its pending deliveries due: they are attempted early. Each
 * keeps its place in the retry schedule, to which it returns if the early attempt fails.
 */

/**
 * The number of consecutive failures that ends the release of pending deliveries. Fewer failures may be due to single
 * deliveries.
 */
const MAX_FAILURES = 3;
/** The minimum time (ms) by which an early attempt must precede the planned attempt. */
const MIN_GAIN = 1_000;
/** How far ahead (ms) a replay plans the first attempts of its deliveries, which it spaces at its own rate. */
const PLANNED_AHEAD = 5_000;

/** Whether a webhook may have pending deliveries that no success has released yet. */
export const needsRelease = ({ pendingSince, backDate = 0, lastFailure = 0 }: WebhookRecord, now: number): boolean =>
  pendingSince !== undefined && (backDate <= lastFailure || isFuture(backDate, now));

/** Whether a receiver that was back is failing again, which stops the release. */
export const isFailingAgain = ({ consecutiveFailures, openUntil }: WebhookRecord): boolean =>
  consecutiveFailures >= MAX_FAILURES || openUntil !== undefined;

/**
 * Whether one delivery caused all failures of a webhook since its last success, so that no other delivery is pending.
 * An earlier release, which may still be running, concerns older deliveries.
 */
export const isOnlyFailing = (
  { pendingSince = 0, backDate = 0, lastSuccess = 0, consecutiveFailures, openUntil }: WebhookRecord,
  { id, sendTryTimes, log = [] }: Delivery,
): boolean => {
  const failures = log.filter(([number]) => (sendTryTimes[number - 1] ?? 0) > lastSuccess).length;
  return (
    openUntil === undefined &&
    pendingSince === timeOfUlid(id) &&
    pendingSince > backDate &&
    consecutiveFailures > 0 &&
    consecutiveFailures === failures
  );
};

/** Whether the current attempt at a claimed delivery is early. Its claim leaves the planned time as it is. */
export const isEarlyAttempt = ({ nextAttempt, sendTryTimes }: Delivery): boolean =>
  nextAttempt !== null && nextAttempt > (sendTryTimes.at(-1) ?? 0);

/**
 * Returns when (ms) a pending delivery is attempted early if its turn comes at `turn`; null if it is not pending, or if
 * an early attempt would gain nothing. The attempt still respects a Retry-After, and the pause after the previous
 * attempt doubles with each early attempt, so that a delivery that its receiver keeps rejecting is not sent again after
 * every success. `firstDelay` (ms) is the delay of first attempts in the retry schedule.
 */
export const earlyTime = (delivery: Delivery, turn: number, firstDelay: number): number | null => {
  const { state, createDate, nextAttempt, attempts, earlyAttempts = 0, retryAfterDate = 0, sendTryTimes } = delivery;
  if ((state !== 'pending' && state !== 'retrying') || nextAttempt === null) return null;
  if (attempts === 0 && nextAttempt <= createDate + firstDelay + PLANNED_AHEAD) return null;
  // An attempt in the future was made before the clock was set back.
  const rested = Math.min(sendTryTimes.at(-1) ?? 0, turn) + 1_000 * 2 ** earlyAttempts;
  const time = Math.max(turn, retryAfterDate, rested);
  return time + MIN_GAIN < nextAttempt ? time : null;
};

/** The kinds of deliveries, in the order in which a release attempts them. */
export type ReleaseOrder = 'about_people' | 'other_alarms' | 'rest';
export const releaseOrderOf = ({ snapshot: { event } }: Delivery): ReleaseOrder => {
  if (isAlarmAboutPerson(event)) return 'about_people';
  return urgentSituationOf(event) === null ? 'rest' : 'other_alarms';
};
