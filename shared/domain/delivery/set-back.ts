import { isFuture } from '../state/clock.ts';
import type { Delivery } from './delivery.ts';

/**
 * Returns the corrected time (ms) for the next attempt if it was planned before the clock was set back; null otherwise.
 * `by` is how far (ms) the clock was set back. It is null if that is unknown, because only the attempt's task has
 * arrived. Queues do not depend on the clock, so the attempt is then due now.
 */
export const correctedAttempt = (
  { state, nextAttempt, createDate, updateDate, sendTryTimes }: Delivery,
  by: number | null,
  now: number,
): number | null => {
  if ((state !== 'pending' && state !== 'retrying') || nextAttempt === null || nextAttempt <= now) return null;
  const planned = Math.max(createDate, updateDate, sendTryTimes.at(-1) ?? 0);
  return isFuture(planned, now) ? Math.max(now, nextAttempt - (by ?? nextAttempt)) : null;
};
