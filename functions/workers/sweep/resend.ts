/** What was put on its queue gets so much time (ms) before that is done again, and twice as much after each time. */
const FIRST = 50_000;
const LONGEST = 15 * 60_000;

/**
 * Remembers what was put on its queue: where more is due than can be worked off, sending all of it again and again is work of
 * its own. To forget it, as a new process does, costs a task too many and nothing else.
 */
export const createResend = () => {
  const sent = new Map<string, { at: number; wait: number }>();
  return {
    /** Is it time to send this? If so, it counts as sent. */
    isTime: (what: string, now: number): boolean => {
      const before = sent.get(what);
      if (before && now - before.at < before.wait) return false;
      sent.set(what, { at: now, wait: before ? Math.min(LONGEST, 2 * before.wait) : FIRST });
      return true;
    },
    /** Forgets what it would send anyway. */
    tidy: (now: number): void => {
      for (const [what, { at, wait }] of sent) if (now - at > 2 * wait) sent.delete(what);
    },
  };
};
