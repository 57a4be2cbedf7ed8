import { isFuture } from '../state/clock.ts';
import type { Delivery } from './delivery.ts';

/**
 * Returns the corrected time (ms) of the next attempt if it was planned before the clock was set back; null if it was
 * not. `by` is how far (ms) the clock was set back, or null if this is unknown and only the task of the attempt has
 * arrived: queues do not depend on the clock, so the attempt is due now.
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
