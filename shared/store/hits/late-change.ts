import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { orderDateOf } from '#shared/domain/rule/hit-position.ts';
import type { TableReader } from '../engine/client.ts';
import type { Item, Write } from '../engine/request.ts';
import { items } from '../table.ts';
import type { StoredHit } from './hit-item.ts';

/**
 * For how long (ms) after creation a hit can be changed by the cheapest write. Later changes are also recorded
 * separately, so that lists can be sorted by them without reading every hit.
 */
export const SOON_MS = 10_000;

/** Whether a change at `time` (ms) comes soon after the hit was created; false if the clock has been set back since. */
export const isSoonChange = ({ createDate }: Pick<StoredHit, 'createDate'>, time: number): boolean =>
  time >= createDate && time <= createDate + SOON_MS;

/** When (ms) a hit last changed, if later than `SOON_MS` after its creation. */
export type LateChange = { id: number; sensorId: string; updateDate: number };

/** Returns the late changes to a customer's hits. May lag by a second. */
export const lateChanges = async (table: TableReader, customerId: number): Promise<LateChange[]> => {
  const pk = items.lateChange.pk({ customerId });
  const found = await table.queryAll<Omit<LateChange, 'id'>>({ pk, consistent: false });
  return found.map(({ pk, sk, ...change }) => ({ ...change, id: Number(items.lateChange.read({ pk, sk })?.hitId) }));
};

/** How many late changes are read at once, for half a read unit. */
const PAGE = 40;

/** Returns the late changes to a customer's hits from the given time (ms) on, newest hit first. May lag by a second. */
export const lateChangesSince = async (table: TableReader, customerId: number, since: number) => {
  const pk = items.lateChange.pk({ customerId });
  const found: { hitId: number; updateDate: number }[] = [];
  for (let startAfter: Item | undefined; ; ) {
    const query = { pk, newestFirst: true, limit: PAGE, consistent: false, startAfter };
    const { items: page, next } = await table.query<{ updateDate: number; ttl: number }>(query);
    // A late change is kept as long as its hit.
    const recent = page.filter(({ ttl }) => ttl * 1_000 >= since + EVENT_RETENTION);
    for (const { updateDate, ...key } of recent)
      found.push({ hitId: Number(items.lateChange.read(key)?.hitId), updateDate });
    if (!next || recent.length < page.length) return found;
    startAfter = next;
  }
};

/**
 * Returns the write that records a change to a hit at the given time (ms). It belongs in the same transaction as the
 * change.
 */
export const lateChangeWrite = (customerId: number, hit: StoredHit, time: number): Write => {
  const { id: hitId, sensorId } = hit;
  const ttl = Math.ceil((orderDateOf(hit) + EVENT_RETENTION) / 1_000);
  return { put: { ...items.lateChange({ customerId, hitId }), sensorId, updateDate: time, ttl } };
};
