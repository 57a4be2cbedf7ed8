import type { HitPosition } from '#shared/domain/rule/hit-position.ts';

/** A hit's place and identifying fields. */
export type KnownHit = HitPosition & { sensorEventId: string; sensorId: string; ruleId: number };

const MAX_HITS = 500;
const MAX_CUSTOMERS = 100;

/**
 * Remembers the newest hits per customer that this process has written or read, without gaps. Places never change, so
 * entries stay correct, but hits appended by other processes are missing.
 */
export const recentHits = () => {
  const known = new Map<number, KnownHit[]>();
  return {
    /** Returns the known hits after a place, in order, or null if hits may be missing in between. */
    since: (customerId: number, { id }: HitPosition): KnownHit[] | null => {
      const hits = known.get(customerId) ?? [];
      const [oldest] = hits;
      return oldest && oldest.id <= id + 1 ? hits.filter((hit) => hit.id > id) : null;
    },

    /** Remembers consecutive hits. */
    note: (customerId: number, hits: readonly KnownHit[]): void => {
      const [first] = hits;
      if (!first) return;
      const before = known.get(customerId) ?? [];
      const newest = before.at(-1)?.id === first.id - 1 ? before : [];
      newest.push(...hits);
      newest.splice(0, newest.length - MAX_HITS);
      if (known.size >= MAX_CUSTOMERS) known.clear();
      known.set(customerId, newest);
    },
  };
};
