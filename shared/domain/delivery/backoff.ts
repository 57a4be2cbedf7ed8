const LONGEST = 60_000;

/**
 * Gives the backoff in ms after a number of failures in a row: 0 for less than `from` failures, then 1 s, doubling up
 * to 60 s.
 */
export const backoffAfter = (failures: number, from: number): number =>
  failures < from ? 0 : Math.min(LONGEST, 1_000 * 2 ** (failures - from));
