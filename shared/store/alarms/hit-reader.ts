import { firstWhere } from '#shared/domain/first-where.ts';
import type { TableReader } from '../engine/client.ts';
import type { HitItem } from '../hits/hit-item.ts';
import { type HitSequence, hitsByIds, hitsOfCustomer, sensorLine } from '../hits/hit-sequence.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';

/** A hit with its place among all of the sensor's hits. */
export type ReadHit = HitItem & { listSk?: string };

/** Hits read in chunks, newest first. `hits`: the hits read so far; `isEnd`: whether all hits have been read. */
export type HitReader = { hits: ReadHit[]; isEnd: boolean; more: () => Promise<void> };

/**
 * Which hits to read: those in a time span (ms, both ends included), from one sensor or (empty) all, with ids up to
 * `lastId` if given.
 */
type HitSpan = { customerId: number; sensorId: string; from: number; to: number; lastId?: number | undefined };

/** The number of hits in the first and in the largest chunk. A hit takes about 700 bytes. */
const CHUNK = { first: 40, most: 320 };

/** Returns the number of requested hits in a sequence. Any later hits are too new. */
const lengthOf = async (line: HitSequence, { to, lastId }: HitSpan): Promise<number> => {
  if (lastId !== undefined) return line.positionOf(lastId + 1);
  if (to === Number.MAX_SAFE_INTEGER) return line.size;
  return firstWhere(0, line.size, async (at) => (await line.at(at)).createDate > to);
};

/** Reads the hits for a customer or a sensor. */
export const readHits = async (table: TableReader, span: HitSpan): Promise<HitReader> => {
  const { customerId, sensorId, from } = span;
  const line = await (sensorId === ''
    ? hitsOfCustomer(table, customerId, from)
    : sensorLine(table, customerId, sensorId, from));
  let rest = await lengthOf(line, span);
  let size = CHUNK.first;
  const reader: HitReader = {
    hits: [],
    isEnd: rest === 0,
    more: async () => {
      const start = Math.max(0, rest - size);
      reader.hits.push(...(await line.hits(start, rest)).toReversed());
      rest = start;
      size = Math.min(CHUNK.most, 2 * size);
      reader.isEnd = rest === 0;
    },
  };
  return reader;
};

/** The maximum number of a sensor's hits to search after a given hit, and how many to read at once. */
const MAX_LATER = 50;
const STEP = 2;

/**
 * Returns the hits after a given one that belong to events with these UUIDs. The last event was received at `last`
 * (ms).
 */
export const hitsAfter = async (
  table: TableReader,
  customerId: number,
  { sensorId, listSk = '' }: ReadHit,
  { uuids, last }: { uuids: ReadonlySet<string>; last: number },
): Promise<HitItem[]> => {
  const [series = 0, number = 0] = listSk.split('-').map(Number);
  const at = (place: number) => lists.hitsOfSensor.sk({ series, number: place, createDate: 0 });
  const between = [at(number + 1), at(number + 1 + MAX_LATER)] as const;
  const pk = lists.hitsOfSensor.pk({ customerId, sensorId });
  const { items: keys } = await table.query<Key>({ index: 'list', pk, between, limit: MAX_LATER });
  const ids = keys.map((key) => Number(items.ruleHit.read(key)?.hitId));
  const found: HitItem[] = [];
  for (let start = 0; start < ids.length; start += STEP) {
    const hits = await hitsByIds(table, customerId, ids.slice(start, start + STEP));
    const own = hits.filter(({ sensorEventId }) => uuids.has(sensorEventId));
    found.push(...own);
    // The hits for an event are consecutive.
    if (own.length < hits.length && hits.some(({ createDate }) => createDate > last)) break;
  }
  return found;
};

/** Returns a sensor's hits from the given time (ms) on, oldest first. */
export const hitsSince = async (
  table: TableReader,
  customerId: number,
  sensorId: string,
  since: number,
): Promise<HitItem[]> => (await sensorLine(table, customerId, sensorId, since)).hits(0, MAX_LATER);
