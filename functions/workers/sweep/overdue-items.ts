import { OVERDUE_MINUTES } from '#shared/observability/metrics.ts';
import type { Due } from '#shared/store/engine/due.ts';

/** An item last found longer ago than this (ms) counts as new. */
const FORGET_MS = 30 * 60_000;

/**
 * Creates a record of overdue items. Each item counts once, so an item that stays overdue does not hide the next. A new
 * process starts without a record, and counts earlier items again.
 */
export const createOverdueItems = () => {
  const found = new Map<string, number>();
  return {
    /** Returns how many items are overdue at `now` (ms) that were not overdue before. */
    countNew: (entries: readonly Due[], now: number): number => {
      const overdue = entries.filter(({ time }) => now - time > OVERDUE_MINUTES * 60_000);
      const keys = overdue.map(({ task }) => JSON.stringify(task));
      const added = keys.filter((key) => !found.has(key));
      for (const key of keys) found.set(key, now);
      return added.length;
    },
    /** Forgets items not found again. */
    tidy: (now: number): void => {
      for (const [key, at] of found) if (Math.abs(now - at) > FORGET_MS) found.delete(key);
    },
  };
};
