/** The first and the maximum pause (ms) before an item is enqueued again. The pause doubles each time. */
const MIN_PAUSE_MS = 50_000;
const MAX_PAUSE_MS = 15 * 60_000;

/**
 * Creates a record of enqueued items. If more items are due than can be processed, enqueuing them all in each sweep
 * would only add to the load. A new process starts without a record, which costs one extra task per item.
 */
export const createResendHistory = () => {
  const sent = new Map<string, { at: number; wait: number }>();
  return {
    /** Whether an item should be enqueued now. If so, records it as enqueued. */
    isTime: (id: string, now: number): boolean => {
      const before = sent.get(id);
      // A time in the future was recorded before the clock was set back.
      if (before && before.at <= now && now - before.at < before.wait) return false;
      sent.set(id, { at: now, wait: before ? Math.min(MAX_PAUSE_MS, 2 * before.wait) : MIN_PAUSE_MS });
      return true;
    },
    /** Forgets that an item was enqueued, because the queue did not accept it. */
    forget: (id: string): void => void sent.delete(id),
    /** Forgets items whose pause is long over. */
    tidy: (now: number): void => {
      for (const [id, { at, wait }] of sent) if (now - at > 2 * wait) sent.delete(id);
    },
  };
};
