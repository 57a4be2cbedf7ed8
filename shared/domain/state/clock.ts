/** Host clocks differ by less than this (ms). */
const MAX_SKEW = 10_000;

/** Whether the service recorded a time (ms) before the clock was set back. */
export const isFuture = (time: number, now: number): boolean => time > now + MAX_SKEW;

/**
 * Returns the latest time (ms) the service could have recorded for something due in `span` ms. Any later time was
 * recorded before the clock was set back.
 */
export const latestAhead = (now: number, span: number): number => now + span + MAX_SKEW;
