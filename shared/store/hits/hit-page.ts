import type { TableReader } from '../engine/client.ts';
import { items } from '../table.ts';
import type { HitItem, StoredHit } from './hit-item.ts';
import { rankByChange, sliceByChange } from './hit-order.ts';
import { type HitSequence, hitsByIds } from './hit-sequence.ts';
import { type LateChange, lateChanges } from './late-change.ts';

/** Selects the hits on a page: `sortBy` as in the API; `after`: only hits that follow the one with this id. */
export type HitQuery = { page: number; perPage: number; sortBy: string; after?: number | undefined };
type HitPage = { total: number; hits: HitItem[] };

/** Returns a page ordered by id, which is also the order of createDate. */
const pageById = async (line: HitSequence, { page, perPage, sortBy, after }: HitQuery): Promise<HitPage> => {
  const isDescending = sortBy.startsWith('desc');
  const low = after === undefined || isDescending ? 0 : await line.positionOf(after + 1);
  const high = after === undefined || !isDescending ? line.size : await line.positionOf(after);
  const [from, to] = isDescending
    ? [high - (page + 1) * perPage, high - page * perPage]
    : [low + page * perPage, low + (page + 1) * perPage];
  const hits = await line.hits(Math.max(low, from), Math.min(high, to), true);
  return { total: Math.max(0, high - low), hits: isDescending ? hits.toReversed() : hits };
};

/** The owner of the hits in a sequence: a customer, or a sensor that belongs to the customer. */
type HitOwner = { table: TableReader; customerId: number; sensorId?: string };

/**
 * Returns the number of hits, ordered by last change, up to the hit with the id `after`. An expired hit counts as the
 * oldest.
 */
const countUpTo = async (
  { table, customerId }: HitOwner,
  line: HitSequence,
  late: readonly LateChange[],
  { after, sortBy }: HitQuery,
): Promise<number> => {
  if (after === undefined) return 0;
  const isDescending = sortBy.startsWith('desc');
  const hit = await table.getEventual<StoredHit>(items.ruleHit({ customerId, hitId: after }));
  if (!hit) return isDescending ? line.size : 0;
  const rank = await rankByChange(line, late, hit, isDescending ? 1 : -1);
  return isDescending ? rank + 1 : line.size - rank;
};

/** Returns a page ordered by last change. */
const pageByChange = async (owner: HitOwner, line: HitSequence, query: HitQuery): Promise<HitPage> => {
  const { table, customerId, sensorId } = owner;
  if (line.size === 0) return { total: 0, hits: [] };
  const [lateOfCustomer, oldest] = await Promise.all([lateChanges(table, customerId), line.at(0)]);
  const late = lateOfCustomer.filter(
    (change) => change.id >= oldest.id && (sensorId === undefined || change.sensorId === sensorId),
  );
  const before = await countUpTo(owner, line, late, query);
  const start = before + query.page * query.perPage;
  const length = Math.min(query.perPage, line.size - start);
  const isDescending = query.sortBy.startsWith('desc');
  const found = isDescending
    ? await sliceByChange(line, late, { offset: start, length, ties: 1 })
    : (await sliceByChange(line, late, { offset: line.size - start - length, length, ties: -1 })).toReversed();
  const unread = found.filter(({ hit }) => !hit).map(({ id }) => id);
  const read = new Map((await hitsByIds(table, customerId, unread)).map((hit) => [hit.id, hit]));
  return { total: Math.max(0, line.size - before), hits: found.flatMap(({ id, hit }) => hit ?? read.get(id) ?? []) };
};

/** Returns a page of hits, with the total. Erased hits count, but are not on the page. */
export const hitPage = async (owner: HitOwner, line: HitSequence, query: HitQuery): Promise<HitPage> => {
  const isByChange = query.sortBy.includes('updateDate');
  const { total, hits } = await (isByChange ? pageByChange(owner, line, query) : pageById(line, query));
  return { total, hits: hits.filter(({ isErased }) => !isErased) };
};
