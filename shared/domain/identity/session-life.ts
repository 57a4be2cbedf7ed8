/**
 * How long (s) a session lasts after login. A display session lasts this long after its last use (D1 "Authentication"
 * 1).
 */
export const SESSION_SECONDS = 86_400;
/** The maximum lifetime (s) of display sessions. */
export const DISPLAY_SECONDS = 90 * 86_400;
/** A display session is extended at most once per this interval (ms), because each write costs money. */
const RENEWAL_MS = 3_600_000;

type DisplaySession = { createDate: number; expires: number };
/** Returns when (ms) a display session expires if it is used at `now`; null if it must not be extended yet. */
export const extendedExpiry = ({ createDate, expires }: DisplaySession, now: number): number | null => {
  const extended = Math.min(now + SESSION_SECONDS * 1_000, createDate + DISPLAY_SECONDS * 1_000);
  return extended - expires < RENEWAL_MS ? null : extended;
};
