import { firstWhere } from '#shared/domain/first-where.ts';
import type { Table } from '#shared/store/engine/client.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import { sensorLine } from '#shared/store/hits/hit-sequence.ts';
import type { SensorKey } from './find.ts';

const HOUR = 3_600_000;

/** No rate limit is longer than a day, and an event may arrive up to a day late. */
const BEFORE = 48 * HOUR;
const AFTER = 24 * HOUR;

/** The maximum number of hits to read. */
const MAX_HITS = 1_000;

/**
 * Returns a sensor's hits from 48 h before the given time (ms) to 24 h after it, oldest first. `isWhole` is false if
 * there are too many to read, in which case the newest hits are returned.
 */
export const hitsAround = async (
  table: Table,
  { customerId, sensorId }: SensorKey,
  time: number,
): Promise<{ hits: HitItem[]; isWhole: boolean }> => {
  const line = await sensorLine(table, customerId, sensorId, time - BEFORE);
  const end = await firstWhere(0, line.size, async (at) => (await line.at(at)).createDate > time + AFTER);
  const from = Math.max(0, end - MAX_HITS);
  return { hits: await line.hits(from, end), isWhole: from === 0 };
};
