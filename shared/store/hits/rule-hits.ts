import { keyedMutex } from '#shared/concurrency/keyed-mutex.ts';
import type { HitPlace } from '#shared/domain/rule/rule-hit.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { items } from '../table.ts';
import { append } from './append-hit.ts';
import { edgeOf } from './hit-edge.ts';
import { firstId, type HitItem, type NewHit, type StoredHit, unpacked } from './hit-item.ts';
import { type Report, report } from './hit-report.ts';
import { recentHits } from './recent-hits.ts';

export const ruleHitReads = (table: TableReader) => ({
  get: async (customerId: number, hitId: number): Promise<HitItem | null> => {
    const found = await table.get<StoredHit>(items.ruleHit({ customerId, hitId }));
    return found && !found.isErased ? unpacked(found) : null;
  },

  /** The place of the newest hit, or the one before the first. What was appended since may be missing. */
  tail: async (customerId: number): Promise<HitPlace> => {
    const newest = await edgeOf(table, customerId, true, false);
    return newest ? { id: newest.id, createDate: newest.createDate } : { id: firstId(customerId), createDate: 0 };
  },
});

/** How long (ms) the next hit of a customer waits for the one before. A try without an answer takes 2 s. */
const LONGEST_TURN = 3_000;

const ruleHitWrites = (table: Table, mutex = keyedMutex(LONGEST_TURN), recent = recentHits()) => ({
  /**
   * Appends a hit to the hits of its customer, once for its event and rule. Returns its place, and whether it is new. Ids
   * have no gaps, so lists are counted by subtraction: a writer takes the place after the last one that it knows of, and
   * the next one when that is taken. Writers of one process wait for each other and begin where the one before ended, else
   * most of them would fail. `after`: a place from before the decision was made. A process that applies the same decision
   * again passes every place since then, and so finds the hit if it was written.
   */
  append: (customerId: number, after: HitPlace, hit: NewHit, now: number): Promise<HitPlace & { isNew: boolean }> =>
    mutex(customerId, () => append({ table, recent, customerId }, after, hit, now)),

  /**
   * Reports attempts to send one message of a hit, by their starts; a success stays one whatever comes later. What was
   * reported before is left out: a crash makes that happen.
   */
  report: (made: Report, now: number): Promise<void> => report(table, made, now),
});

export const ruleHits = (table: Table) => ({ ...ruleHitReads(table), ...ruleHitWrites(table) });
