import { keyedMutex } from '#shared/concurrency/keyed-mutex.ts';
import { type HitPosition, orderDateOf } from '#shared/domain/rule/hit-position.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { items } from '../table.ts';
import { appendHit } from './append-hit.ts';
import { edgeHit } from './edge-hit.ts';
import { type HitItem, hitOf, idBeforeFirst, type NewHit, type StoredHit } from './hit-item.ts';
import { recentHits } from './recent-hits.ts';

export const ruleHitReads = (table: TableReader) => ({
  get: async (customerId: number, hitId: number): Promise<HitItem | null> => {
    const found = await table.get<StoredHit>(items.ruleHit({ customerId, hitId }));
    return found && !found.isErased ? hitOf(found) : null;
  },

  /** Returns the place of the newest hit, or the place before the first hit. May miss newly appended hits. */
  lastPlace: async (customerId: number): Promise<HitPosition> => {
    const newest = await edgeHit(table, customerId, true, false);
    return newest
      ? { id: newest.id, createDate: orderDateOf(newest) }
      : { id: idBeforeFirst(customerId), createDate: 0 };
  },
});

/** How long (ms) a hit waits for the customer's previous hit. A write without a response takes 2 s. */
const MAX_WAIT = 3_000;

const ruleHitWrites = (table: Table, mutex = keyedMutex(MAX_WAIT), recent = recentHits()) => ({
  /**
   * Appends a customer hit, once per event and rule. Returns the place, and whether the hit is new. Ids have no gaps,
   * so that lists can be counted by subtraction: a writer tries the place after the last one it knows, then the next.
   * Writers in one process take turns, because most would fail otherwise. `after` is a place from before the decision.
   * A process that reapplies the decision checks every place since then, and so finds an existing hit.
   */
  append: (
    customerId: number,
    after: HitPosition,
    hit: NewHit,
    now: number,
  ): Promise<HitPosition & { isNew: boolean }> =>
    mutex(customerId, () => appendHit({ table, recent, customerId }, after, hit, now)),
});

export const ruleHits = (table: Table) => ({ ...ruleHitReads(table), ...ruleHitWrites(table) });
