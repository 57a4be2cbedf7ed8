/** The decimal digits of every time (ms) until the year 5138. */
const DIGITS = 14;
const LAST = 10 ** DIGITS - 1;

/** Returns a string that sorts before the ids of all entries of `time` (ms) or later, and after all earlier ones. */
export const firstAuditIdAt = (time: number): string => String(Math.min(Math.max(0, time), LAST)).padStart(DIGITS, '0');

/** Returns the id of an entry, from its time and 6 random bytes. Ids sort by time. */
export const auditIdOf = (time: number, random: Uint8Array): string =>
  firstAuditIdAt(time) + Buffer.from(random.subarray(0, 6)).toString('hex');

/** Returns the time (ms) in the id of an entry. */
export const timeOfAuditId = (id: string): number => Number(id.slice(0, DIGITS));
