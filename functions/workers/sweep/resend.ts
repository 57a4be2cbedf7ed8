/** How long (ms) after its task was enqueued an item is enqueued again. The time doubles with each repetition. */
const FIRST = 50_000;
const LONGEST = 15 * 60_000;

/**
 * Creates the memory of which items were enqueued. When more is due than can be processed, enqueuing all of it at each sweep
 * would cause more work. A new process remembers nothing, which costs one extra task for each item.
 */
export const createResend = () => {
  const sent = new Map<string, { at: number; wait: number }>();
  return {
    /** Returns whether an item is to be enqueued now, and if so, notes it as enqueued. */
    isTime: (id: string, now: number): boolean => {
      const before = sent.get(id);
      if (before && now - before.at < before.wait) return false;
      sent.set(id, { at: now, wait: before ? Math.min(LONGEST, 2 * before.wait) : FIRST });
      return true;
    },
    /** Forgets that an item was enqueued: the queue did not accept it. */
    forget: (id: string): void => void sent.delete(id),
    /** Forgets the items that would be enqueued anyway. */
    tidy: (now: number): void => {
      for (const [id, { at, wait }] of sent) if (now - at > 2 * wait) sent.delete(id);
    },
  };
};
