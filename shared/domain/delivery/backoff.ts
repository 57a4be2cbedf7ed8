/** The longest backoff (ms). */
export const MAX_BACKOFF = 60_000;

/**
 * Returns the backoff (ms) after consecutive failures: 0 for fewer than `from`, then a second, doubling up to a minute.
 */
export const backoffAfter = (failures: number, from: number): number =>
  failures < from ? 0 : Math.min(MAX_BACKOFF, 1_000 * 2 ** (failures - from));
