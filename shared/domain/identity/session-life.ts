/**
 * How long (s) a session lasts after its login, and the session of a display after its last use (D1 "Authentication"
 * 1).
 */
export const SESSION_SECONDS = 86_400;
/** The maximum lifetime (s) of the session of a display. */
export const DISPLAY_SECONDS = 90 * 86_400;
/** The session of a display is extended at most once in this time (ms), because each write costs money. */
const RENEWAL_MS = 3_600_000;

type DisplaySession = { createDate: number; expires: number };
/** Returns when (ms) the session of a display expires if it is used at `now`; null if it must not be extended yet. */
export const extendedExpiry = ({ createDate, expires }: DisplaySession, now: number): number | null => {
  const extended = Math.min(now + SESSION_SECONDS * 1_000, createDate + DISPLAY_SECONDS * 1_000);
  return extended - expires < RENEWAL_MS ? null : extended;
};
