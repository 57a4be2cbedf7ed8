/** As many decimal digits have all times (ms) until the year 5138. */
const DIGITS = 14;
const LAST = 10 ** DIGITS - 1;

/** Gives a text that sorts before the ids of all lines of `time` (ms) or later, and after those of all earlier ones. */
export const auditIdsFrom = (time: number): string => String(Math.min(Math.max(0, time), LAST)).padStart(DIGITS, '0');

/** Makes the id of a line from its time and 6 random bytes: the order of the ids is that of the times. */
export const auditIdOf = (time: number, random: Uint8Array): string =>
  auditIdsFrom(time) + Buffer.from(random.subarray(0, 6)).toString('hex');

/** Gives the time (ms) of the id of a line. */
export const timeOfAuditId = (id: string): number => Number(id.slice(0, DIGITS));
