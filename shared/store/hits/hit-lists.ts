import { isFuture } from '#shared/domain/state/clock.ts';
import type { TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import { type HitItem, hitOf, hitsPk, type StoredHit } from './hit-item.ts';
import { type HitQuery, hitPage } from './hit-page.ts';
import { hitsByIds, hitsOfCustomer, sensorLine } from './hit-sequence.ts';
import { lateChangesSince, SOON_MS } from './late-change.ts';

/** When a hit last changed (ms). */
type HitChange = { hitId: number; updateDate: number };

/** How many of the newest hits are read at once, mostly for half a read unit. */
const NEWEST = 2;
/**
 * For how long (ms) after creation a hit may change without a separate record, plus a few seconds for lagging reads.
 */
const EARLY_MS = SOON_MS + 5_000;

/**
 * Returns the latest hit changes: at least two, and those to all hits that are new enough to change without a separate
 * record.
 */
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

/** Returns the ids of the most recently changed hits, newest change first. */
const lastChanged = (changes: readonly HitChange[], now: number, limit: number): number[] => {
  const dates = new Map<number, number>();
  for (const { hitId, updateDate } of changes) {
    // A change in the future was made before the clock was set back, so all other changes are newer.
    const date = isFuture(updateDate, now) ? 0 : updateDate;
    dates.set(hitId, Math.max(date, dates.get(hitId) ?? 0));
  }
  const newestFirst = [...dates].toSorted(([id, date], [otherId, otherDate]) => otherDate - date || otherId - id);
  return newestFirst.slice(0, limit).map(([id]) => id);
};

/** Hit lists. A separate noun, because the workers that create hits never list them. */
export const hitLists = (table: TableReader) => ({
  /** Returns a page of a customer's hits from the given time (ms) on, with the total. */
  page: async (customerId: number, since: number, query: HitQuery) =>
    hitPage({ table, customerId }, await hitsOfCustomer(table, customerId, since), query),

  /** Returns a page of a sensor's hits from the given time (ms) on, with the total. */
  pageOfSensor: async (customerId: number, sensorId: string, since: number, query: HitQuery) =>
    hitPage({ table, customerId, sensorId }, await sensorLine(table, customerId, sensorId, since), query),

  /**
   * Returns a value that differs from the previous one if a hit was created, or a hit created since `since` (ms) has
   * changed. It reads little, so screens can poll every few seconds.
   */
  latestChanges: async (customerId: number, { now, since }: { now: number; since: number }): Promise<HitChange[]> =>
    (await Promise.all([newestChanges(table, customerId, now), lateChangesSince(table, customerId, since)])).flat(),

  /** Returns the most recently changed hits among `changes` and the newest hits, newest change first. */
  lastChanged: async (
    customerId: number,
    changes: readonly HitChange[],
    { now, limit }: { now: number; limit: number },
  ): Promise<HitItem[]> => {
    const query = { pk: hitsPk(customerId), newestFirst: true, limit, consistent: false };
    const newest = (await table.query<StoredHit>(query)).items.map(hitOf);
    const ofNewest = newest.map(({ id: hitId, updateDate }) => ({ hitId, updateDate }));
    const ids = lastChanged([...ofNewest, ...changes], now, limit);
    const unread = ids.filter((id) => !newest.some((hit) => hit.id === id));
    const hits = new Map([...newest, ...(await hitsByIds(table, customerId, unread))].map((hit) => [hit.id, hit]));
    return ids.flatMap((id) => hits.get(id) ?? []).filter(({ isErased }) => !isErased);
  },
});
