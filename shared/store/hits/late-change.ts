import { RETENTION } from '#shared/domain/event/event.ts';
import type { TableReader } from '../engine/client.ts';
import type { Write } from '../engine/request.ts';
import { items } from '../table.ts';
import type { StoredHit } from './hit-item.ts';

/**
 * How long (ms) after it was made a hit is told of changes by the cheapest write. Later ones are noted, so that lists can be
 * sorted by them without reading every hit.
 */
export const SOON = 10_000;

/** When (ms) a hit changed last, of one that changed later than soon after it was made. */
export type LateChange = { id: number; sensorId: string; updateDate: number };

/** The late changes of a customer's hits. They may lag by a second. */
export const lateChanges = async (table: TableReader, customerId: number): Promise<LateChange[]> => {
  const pk = items.lateChange.pk({ customerId });
  const found = await table.queryAll<Omit<LateChange, 'id'>>({ pk, consistent: false });
  return found.map(({ pk, sk, ...change }) => ({ ...change, id: Number(items.lateChange.read({ pk, sk })?.hitId) }));
};

/** Notes that a hit changed at a time (ms), for lists in the order of changes: with that change, in one transaction. */
export const noteLateChange = (
  customerId: number,
  { id: hitId, sensorId, createDate }: StoredHit,
  time: number,
): Write => {
  const ttl = Math.ceil((createDate + RETENTION) / 1_000);
  return { put: { ...items.lateChange({ customerId, hitId }), sensorId, updateDate: time, ttl } };
};
