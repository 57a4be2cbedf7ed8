const LONGEST = 60_000;

/** ms to wait after so many failures in a row: none below `from`, then 1 s, doubling, 60 s at most. */
export const backoffAfter = (failures: number, from: number): number =>
  failures < from ? 0 : Math.min(LONGEST, 1_000 * 2 ** (failures - from));
