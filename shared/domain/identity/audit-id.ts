/** Enough decimal digits for any time (ms) until the year 5138. */
const DIGITS = 14;
const LAST = 10 ** DIGITS - 1;

/** Returns a string that sorts before all entry ids from `time` (ms) onward and after all earlier ids. */
export const firstAuditIdAt = (time: number): string => String(Math.min(Math.max(0, time), LAST)).padStart(DIGITS, '0');

/** Returns an entry id built from the time (ms) and 6 random bytes. Ids sort by time. */
export const auditIdOf = (time: number, random: Uint8Array): string =>
  firstAuditIdAt(time) + Buffer.from(random.subarray(0, 6)).toString('hex');

/** Returns the time (ms) in an entry id. */
export const timeOfAuditId = (id: string): number => Number(id.slice(0, DIGITS));
