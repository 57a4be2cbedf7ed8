import { firstWhere } from '#shared/domain/first-where.ts';
import { type HitNumber, type HitPosition, orderDateOf } from '#shared/domain/rule/hit-position.ts';
import type { TableReader } from '../engine/client.ts';
import { items, lists } from '../table.ts';
import { edgeHit } from './edge-hit.ts';
import { type HitItem, hitOf, hitRange, hitsPk, type StoredHit } from './hit-item.ts';

/**
 * Hits ordered by creation. Positions start at 0, the oldest hit. The `createDate` at a position is the date in that
 * order, which can be later than the hit date. May lag by a second.
 */
export type HitSequence = {
  size: number;
  /** Returns the hit at a position. */
  at: (position: number) => Promise<HitPosition>;
  /** Returns the first position with this id or a higher one. */
  positionOf: (id: number) => Promise<number>;
  /** Returns the hits from position `from` up to but excluding `to`, read consistently if requested and possible. */
  hits: (from: number, to: number, consistent?: boolean) => Promise<HitItem[]>;
};

/** Returns the hits with these ids, in this order. */
export const hitsByIds = async (table: TableReader, customerId: number, ids: readonly number[]): Promise<HitItem[]> => {
  const found = await table.getAllEventual<StoredHit>(ids.map((hitId) => items.ruleHit({ customerId, hitId })));
  const byId = new Map(found.map((hit) => [hit.id, hitOf(hit)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
};

/** Returns a customer's hits from the given time (ms) on, excluding older hits that are still to be removed. */
export const hitsOfCustomer = async (table: TableReader, customerId: number, since: number): Promise<HitSequence> => {
  const [oldest, newest] = await Promise.all([edgeHit(table, customerId, false), edgeHit(table, customerId, true)]);
  const [low = 0, high = -1] = oldest && newest ? [oldest.id, newest.id] : [];
  const placeOf = async (id: number): Promise<HitPosition> => {
    const hit = await table.getEventual<StoredHit>(items.ruleHit({ customerId, hitId: id }));
    return { id, createDate: hit ? orderDateOf(hit) : 0 };
  };
  const isWhole = oldest === null || orderDateOf(oldest) >= since;
  const isRecent = async (position: number) => (await placeOf(low + position)).createDate >= since;
  const first = low + (isWhole ? 0 : await firstWhere(0, high - low + 1, isRecent));
  const size = high - first + 1;
  return {
    size,
    at: (position) => placeOf(first + position),
    positionOf: async (id) => Math.min(size, Math.max(0, id - first)),
    hits: async (from, to, consistent = false) => {
      const range = hitRange(first + from, first + to - 1);
      const query = { pk: hitsPk(customerId), between: range, consistent };
      return from < to ? (await table.queryAll<StoredHit>(query)).map(hitOf) : [];
    },
  };
};

type ListedHit = HitPosition & HitNumber;
/** The remaining hits in a series: the first one, and the number of the last. */
type Series = { first: ListedHit; last: number };

const listedHits = (table: TableReader, customerId: number, sensorId: string) => {
  const list = { index: 'list', pk: lists.hitsOfSensor.pk({ customerId, sensorId }) } as const;
  const readKey = ({ listSk, ...key }: { listSk: string; pk: string; sk: string }): ListedHit => {
    const [series = 0, number = 0, createDate = 0] = listSk.split('-').map(Number);
    return { series, number, createDate, id: Number(items.ruleHit.read(key)?.hitId) };
  };
  const edge = async (range: { beginsWith?: string; between?: readonly [string, string] }, newestFirst: boolean) => {
    const { items: found } = await table.query<{ listSk: string }>({ ...list, ...range, newestFirst, limit: 1 });
    return found[0] ? readKey(found[0]) : null;
  };
  const start = (series: number, number: number) => lists.hitsOfSensor.sk({ series, number, createDate: 0 });
  return {
    /** Returns all series, oldest first. There is nearly always one. */
    allSeries: async (): Promise<Series[]> => {
      const [oldest, newest] = await Promise.all([edge({}, false), edge({}, true)]);
      const found: Series[] = [];
      for (let last = newest; oldest && last; ) {
        const { series } = last;
        const isOldest = series === oldest.series;
        const first = isOldest ? oldest : await edge({ between: [start(series, 0), start(series + 1, 0)] }, false);
        found.unshift({ first: first ?? last, last: last.number });
        last = isOldest ? null : await edge({ between: [start(oldest.series, 0), start(series, 0)] }, true);
      }
      return found;
    },
    range: async (series: number, from: number, to: number): Promise<ListedHit[]> => {
      const range = [start(series, from), start(series, to)] as const;
      return (await table.queryAll<{ listSk: string }>({ ...list, between: range })).map(readKey);
    },
  };
};

/** Returns one sensor's hits from the given time (ms) on. The keys contain the positions, so no other hits are read. */
export const sensorLine = async (
  table: TableReader,
  customerId: number,
  sensorId: string,
  since: number,
): Promise<HitSequence> => {
  const listed = listedHits(table, customerId, sensorId);
  const allSeries = await listed.allSeries();
  const places = async (from: number, to: number): Promise<ListedHit[]> => {
    const found: ListedHit[] = [];
    let before = 0;
    for (const { first, last } of allSeries) {
      const { series, number } = first;
      const low = Math.max(number, number + from - before);
      const high = Math.min(last + 1, number + to - before);
      if (low < high) found.push(...(await listed.range(series, low, high)));
      before += last - number + 1;
    }
    return found;
  };
  const total = allSeries.reduce((sum, { first, last }) => sum + last - first.number + 1, 0);
  const placeOf = async (position: number) => (await places(position, position + 1))[0] ?? { id: 0, createDate: 0 };
  const [oldest] = allSeries;
  const isWhole = !oldest || oldest.first.createDate >= since;
  const first = isWhole ? 0 : await firstWhere(0, total, async (at) => (await placeOf(at)).createDate >= since);
  const size = total - first;
  return {
    size,
    at: (position) => placeOf(first + position),
    positionOf: (id) => firstWhere(0, size, async (at) => (await placeOf(first + at)).id >= id),
    hits: async (from, to) => {
      const ids = (await places(first + from, first + to)).map(({ id }) => id);
      return hitsByIds(table, customerId, ids);
    },
  };
};
