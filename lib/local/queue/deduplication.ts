import type { Clock } from '../clock.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html */
const INTERVAL_MS = 5 * 60_000;

/**
 * Remembers which deduplication ids each group got in the last five minutes. An id counts from its first sending on,
 * even when its message is gone; a repetition doesn't prolong it.
 */
export const createDeduplication = (clock: Clock) => {
  const seen = new Map<string, number>();
  const keyOf = (groupId: string, id: string) => JSON.stringify([groupId, id]);
  /** Drops ids that are too old. The map is in the order of insertion, so the oldest come first. */
  const expire = (): void => {
    for (const [key, at] of seen) {
      if (at + INTERVAL_MS > clock.now()) return;
      seen.delete(key);
    }
  };
  return {
    isRepeated: (groupId: string, id: string): boolean => {
      expire();
      return seen.has(keyOf(groupId, id));
    },
    remember: (groupId: string, id: string): void => void seen.set(keyOf(groupId, id), clock.now()),
    forget: (groupId: string, id = ''): void => void seen.delete(keyOf(groupId, id)),
  };
};
