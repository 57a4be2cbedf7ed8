import type { TableReader } from './client.ts';
import { type HitItem, pkOf } from './hit-item.ts';
import { items } from './table.ts';

/** The ids of the hits that are no older than the retention; they follow each other without a gap. */
export type Window = { first: number; last: number };

/** The newest or the oldest hit of a customer. */
export const edgeOf = async (
  table: TableReader,
  customerId: number,
  newestFirst: boolean,
  consistent = true,
): Promise<HitItem | null> => {
  const query = { pk: pkOf(customerId), beginsWith: 'HIT#', newestFirst, limit: 1, consistent };
  return (await table.query<HitItem>(query)).items[0] ?? null;
};

/** The first id in `low..high` whose hit is no older than `since`. Expiry may have removed any older one. */
export const firstSince = async (
  table: TableReader,
  customerId: number,
  low: number,
  high: number,
  since: number,
): Promise<number> => {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    // Their dates never change, and those around the edge are months old.
    const hit = await table.getEventual<HitItem>(items.ruleHit({ customerId, hitId: middle }));
    if (hit && hit.createDate >= since) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** What of a window comes behind a hit. */
export const restOf = ({ first, last }: Window, newestFirst: boolean, after: number | undefined): Window => {
  if (after === undefined) return { first, last };
  return newestFirst ? { first, last: Math.min(last, after - 1) } : { first: Math.max(first, after + 1), last };
};
