import { timeOfUlid } from '../ids.ts';
import { isAlarmAboutPerson, urgentSituationOf } from '../rule/alarm.ts';
import { isFuture } from '../state/clock.ts';
import type { Delivery } from './delivery.ts';
import type { WebhookRecord } from './webhook.ts';

/**
 * After an outage, the receiver's first success makes pending deliveries due, so they are attempted early. Each keeps a
 * place in the retry schedule, and returns to it if the early attempt fails.
 */

/**
 * How many consecutive failures stop the release of pending deliveries. Fewer failures may be due to individual
 * deliveries.
 */
const MAX_FAILURES = 3;
/** How far (ms) ahead of the planned attempt an early attempt must be. */
const MIN_GAIN = 1_000;
/** How far ahead (ms) a replay plans first attempts, which are spaced at the replay rate. */
const PLANNED_AHEAD = 5_000;

/** Whether a webhook may have pending deliveries not yet released by a success. */
export const needsRelease = ({ pendingSince, backDate = 0, lastFailure = 0 }: WebhookRecord, now: number): boolean =>
  pendingSince !== undefined && (backDate <= lastFailure || isFuture(backDate, now));

/** Whether a recovered receiver is failing again, which stops the release. */
export const isFailingAgain = ({ consecutiveFailures, openUntil }: WebhookRecord): boolean =>
  consecutiveFailures >= MAX_FAILURES || openUntil !== undefined;

/**
 * Whether a single delivery caused all failures since the last success, which means no other delivery is pending. False
 * while a release is in progress, because older deliveries may then be pending.
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

/** Whether the current attempt at a claimed delivery is early. The claim leaves the planned time unchanged. */
export const isEarlyAttempt = ({ nextAttempt, sendTryTimes }: Delivery): boolean =>
  nextAttempt !== null && nextAttempt > (sendTryTimes.at(-1) ?? 0);

/**
 * Returns when (ms) to attempt a pending delivery early if its turn comes at `turn` (ms); null if it is not pending, or
 * if nothing would be gained. The attempt still respects Retry-After. The pause after the previous attempt doubles with
 * each early attempt, to avoid resending a rejected delivery after every success. `firstDelay` (ms) is the delay before
 * first attempts in the retry schedule.
 */
export const earlyTime = (delivery: Delivery, turn: number, firstDelay: number): number | null => {
  const { state, createDate, nextAttempt, attempts, earlyAttempts = 0, retryAfterDate = 0, sendTryTimes } = delivery;
  if ((state !== 'pending' && state !== 'retrying') || nextAttempt === null) return null;
  if (attempts === 0 && nextAttempt <= createDate + firstDelay + PLANNED_AHEAD) return null;
  // An attempt dated in the future was made before the clock was set back.
  const rested = Math.min(sendTryTimes.at(-1) ?? 0, turn) + 1_000 * 2 ** earlyAttempts;
  const time = Math.max(turn, retryAfterDate, rested);
  return time + MIN_GAIN < nextAttempt ? time : null;
};

/** Delivery groups, in the order a release attempts them. */
export type ReleaseOrder = 'about_people' | 'other_alarms' | 'rest';
export const releaseOrderOf = ({ snapshot: { event } }: Delivery): ReleaseOrder => {
  if (isAlarmAboutPerson(event)) return 'about_people';
  return urgentSituationOf(event) === null ? 'rest' : 'other_alarms';
};
