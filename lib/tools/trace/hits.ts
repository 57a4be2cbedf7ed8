import { RETENTION } from '../../../shared/domain/event.ts';
import type { Table } from '../../../shared/store/client.ts';
import type { HitItem } from '../../../shared/store/hit-item.ts';
import { store } from '../../../shared/store/store.ts';
import { items, lists } from '../../../shared/store/table.ts';
import type { SensorKey } from './find.ts';

const HOUR = 3_600_000;
/** No rate limit is longer than a day, and an event may be received up to a day after it happened. */
const BEFORE = 48 * HOUR;
const AFTER = 24 * HOUR;
/** The number of hits of the sensor in these three days that are read at most. */
const MOST = 1_000;

/**
 * Gives the hits of a sensor from 48 h before a time (ms) until 24 h after it, the oldest first. Hits are ordered by
 * id, so a binary search finds both ends of this span. `isWhole` is false when there are more hits than are read.
 */
export const hitsAround = async (
  table: Table,
  { customerId, sensorId }: SensorKey,
  time: number,
): Promise<{ hits: HitItem[]; isWhole: boolean }> => {
  const { ruleHits } = store(table);
  // The window of a later day begins with the first hit that is not older than the time asked for.
  const since = await ruleHits.window(customerId, time - BEFORE + RETENTION);
  if (!since) return { hits: [], isWhole: true };
  const until = await ruleHits.window(customerId, time + AFTER + RETENTION);
  const last = until ? until.first - 1 : since.last;
  if (last < since.first) return { hits: [], isWhole: true };
  const { items: keys, next } = await table.query({
    ...{ index: 'list' as const, pk: lists.hitsOfSensor({ customerId, sensorId }) },
    between: [lists.byTime({ id: since.first }), lists.byTime({ id: last })],
    limit: MOST,
  });
  const ids = keys.flatMap((key) => Number(items.ruleHit.read(key)?.hitId ?? Number.NaN)).filter(Number.isFinite);
  return { hits: await ruleHits.some(customerId, ids), isWhole: next === undefined };
};
