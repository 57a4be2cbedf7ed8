/** A bell that was rung gets so much time (ms) before it is rung again, and twice as much after each time. */
const FIRST = 50_000;
const LONGEST = 15 * 60_000;

/**
 * Remembers what was rung for: where more waits than can be worked off, ringing for all of it again and again is work of
 * its own. To forget it, as a new process does, costs a bell too many and nothing else.
 */
export const createPatience = () => {
  const rung = new Map<string, { at: number; wait: number }>();
  return {
    /** Is it time to ring for this? If so, it counts as rung. */
    isTime: (what: string, now: number): boolean => {
      const before = rung.get(what);
      if (before && now - before.at < before.wait) return false;
      rung.set(what, { at: now, wait: before ? Math.min(LONGEST, 2 * before.wait) : FIRST });
      return true;
    },
    /** Forgets what it would ring for anyway. */
    tidy: (now: number): void => {
      for (const [what, { at, wait }] of rung) if (now - at > 2 * wait) rung.delete(what);
    },
  };
};
