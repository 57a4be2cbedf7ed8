import type { TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import { hitsPk, type StoredHit } from './hit-item.ts';
import { type HitQuery, hitPage } from './hit-page.ts';
import { hitsOfCustomer, sensorLine } from './hit-sequence.ts';
import { lateChangesSince, SOON_MS } from './late-change.ts';

/** When a hit last changed (ms). */
type HitChange = { hitId: number; updateDate: number };

/** How many of the newest hits are read at a time, mostly for half a read unit. */
const NEWEST = 2;
/** How long (ms) changes of a hit may be found only in the hit itself, with some seconds for lagging reads. */
const EARLY_MS = SOON_MS + 5_000;

/** Returns when the newest hits changed: two at least, and all that are too new for late changes. */
const newestChanges = async (table: TableReader, customerId: number, now: number): Promise<HitChange[]> => {
  const found: HitChange[] = [];
  for (let startAfter: Item | undefined; ; ) {
    const query = { pk: hitsPk(customerId), newestFirst: true, limit: NEWEST, consistent: false, startAfter };
    const { items: page, next } = await table.query<StoredHit>(query);
    for (const { id: hitId, updateDate } of page) found.push({ hitId, updateDate });
    if (!next || page.some(({ createDate }) => createDate < now - EARLY_MS)) return found;
    startAfter = next;
  }
};

/** Lists of hits. A separate noun, because the workers that create hits never list them. */
export const hitLists = (table: TableReader) => ({
  /** Returns a page of a customer's hits since a time (ms), with their total. */
  page: async (customerId: number, since: number, query: HitQuery) =>
    hitPage({ table, customerId }, await hitsOfCustomer(table, customerId, since), query),

  /** Returns a page of a sensor's hits since a time (ms), with their total. */
  pageOfSensor: async (customerId: number, sensorId: string, since: number, query: HitQuery) =>
    hitPage({ table, customerId, sensorId }, await sensorLine(table, customerId, sensorId, since), query),

  /**
   * Returns a value that differs from one call to the next if a hit was created in between, or one that was created since
   * `since` (ms) has changed. It reads little, so that screens can ask every few seconds.
   */
  latestChanges: async (customerId: number, { now, since }: { now: number; since: number }): Promise<HitChange[]> =>
    (await Promise.all([newestChanges(table, customerId, now), lateChangesSince(table, customerId, since)])).flat(),
});
