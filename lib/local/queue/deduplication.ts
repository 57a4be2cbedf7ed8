import type { Clock } from '../clock.ts';

/**
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html
 */
const INTERVAL_MS = 5 * 60_000;

/**
 * Remembers the deduplication ids that each group received in the last five minutes. The five minutes start when the id
 * is first sent. They continue after the message is removed, and a duplicate does not extend them. As in SQS, they do
 * not depend on this host's clock, which may be set back.
 */
export const createDeduplication = ({ now, steady = now }: Clock) => {
  const seen = new Map<string, number>();
  const seenKey = (groupId: string, id: string) => JSON.stringify([groupId, id]);
  /** Drops outdated ids. The map is in insertion order, so the oldest ids come first. */
  const expire = (): void => {
    for (const [key, at] of seen) {
      if (at + INTERVAL_MS > steady()) return;
      seen.delete(key);
    }
  };
  return {
    isRepeated: (groupId: string, id: string): boolean => {
      expire();
      return seen.has(seenKey(groupId, id));
    },
    remember: (groupId: string, id: string): void => void seen.set(seenKey(groupId, id), steady()),
    forget: (groupId: string, id = ''): void => void seen.delete(seenKey(groupId, id)),
  };
};
