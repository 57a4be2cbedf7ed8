import type { HitPlace } from '#shared/domain/rule/rule-hit.ts';

/** A hit's place, and what tells it from the others. */
export type KnownHit = HitPlace & { sensorEventId: string; sensorId: string; ruleId: number };

const MOST = 500;
const MOST_CUSTOMERS = 100;

/**
 * The newest hits of customers as far as this process wrote or read them, each customer's without a gap. What it knows is
 * true for ever; what others append since it doesn't know.
 */
export const recentHits = () => {
  const known = new Map<number, KnownHit[]>();
  return {
    /** All known hits after a place, in their order; null when some between may be unknown. */
    since: (customerId: number, { id }: HitPlace): KnownHit[] | null => {
      const all = known.get(customerId) ?? [];
      const [oldest] = all;
      return oldest && oldest.id <= id + 1 ? all.filter((hit) => hit.id > id) : null;
    },

    /** Takes note of hits that follow each other. */
    note: (customerId: number, hits: readonly KnownHit[]): void => {
      const [first] = hits;
      if (!first) return;
      const before = known.get(customerId) ?? [];
      const all = before.at(-1)?.id === first.id - 1 ? before : [];
      all.push(...hits);
      all.splice(0, all.length - MOST);
      if (known.size >= MOST_CUSTOMERS) known.clear();
      known.set(customerId, all);
    },
  };
};
