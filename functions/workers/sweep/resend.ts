/** How long (ms) after its task was enqueued an item is enqueued again; the time doubles with each repetition. */
const FIRST = 50_000;
const LONGEST = 15 * 60_000;

/**
 * Remembers which items were enqueued. When more is due than can be worked off, enqueuing all of it at each sweep would
 * make more work. A new process remembers nothing, which costs one extra task for each item.
 */
export const createResend = () => {
  const sent = new Map<string, { at: number; wait: number }>();
  return {
    /** Returns whether this is to be enqueued now, and if so, notes it as enqueued. */
    isTime: (what: string, now: number): boolean => {
      const before = sent.get(what);
      if (before && now - before.at < before.wait) return false;
      sent.set(what, { at: now, wait: before ? Math.min(LONGEST, 2 * before.wait) : FIRST });
      return true;
    },
    /** Forgets that an item was enqueued: no queue took it. */
    forget: (what: string): void => void sent.delete(what),
    /** Forgets the items that would be enqueued anyway. */
    tidy: (now: number): void => {
      for (const [what, { at, wait }] of sent) if (now - at > 2 * wait) sent.delete(what);
    },
  };
};
