import { describe, expect, test } from 'vitest';
import { type HitReader, hitsAfter, hitsSince, type ReadHit, readHits } from '#shared/store/alarms/hit-reader.ts';
import { alarmItems, idOf } from '#test/fixtures/alarm-items.ts';
import { HOME, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';

const everything = { customerId: HOME, sensorId: '', from: 0, to: Number.MAX_SAFE_INTEGER };
const range = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => from + Math.sign(to - from) * at);
const numbers = (hits: readonly { id: number }[]) => hits.map(({ id }) => id - idOf(0));
/** Reads all chunks. Returns how many hits were known after each. */
const readAll = async (reader: HitReader) => {
  const sizes: number[] = [];
  while (!reader.isEnd) {
    await reader.more();
    sizes.push(reader.hits.length);
  }
  return sizes;
};

describe('hits read in chunks', () => {
  test('chunks contain each hit once, newest first, and grow up to 320 hits', async () => {
    const { table, putHits } = alarmItems();
    await putHits(range(1, 1_000).map((at) => ({ createDate: now + at })));
    const reader = await readHits(table, everything);
    expect([reader.hits, reader.isEnd]).toEqual([[], false]);
    expect(await readAll(reader)).toEqual([40, 120, 280, 600, 920, 1_000]);
    expect(numbers(reader.hits)).toEqual(range(1_000, 1));
  });

  test('a customer without hits has nothing to read', async () => {
    expect(await readHits(alarmItems().table, everything)).toMatchObject({ hits: [], isEnd: true });
  });

  test.each([
    ['exactly at both ends of a span', { from: now + 2, to: now + 4 }, [4, 3, 2]],
    ['before a span', { from: now + 6 }, []],
    ['after a span', { to: now }, []],
    ['up to an id', { lastId: idOf(3) }, [3, 2, 1]],
    ['up to an id, which counts instead of the end', { lastId: idOf(3), to: now + 1 }, [3, 2, 1]],
    ['up to the id before the first', { lastId: idOf(0) }, []],
    ['up to an id not yet given', { lastId: idOf(9) }, [5, 4, 3, 2, 1]],
    ['at one sensor', { sensorId: 'id_b' }, [4, 2]],
    ['at one sensor in a span', { sensorId: 'id_b', to: now + 3 }, [2]],
    ['at one sensor up to an id', { sensorId: SENSOR, lastId: idOf(4) }, [3, 1]],
    ['at a sensor without hits', { sensorId: 'id_c' }, []],
  ])('exactly the requested hits are read: %s', async (_, span, expected) => {
    const { table, putHits } = alarmItems();
    await putHits(range(1, 5).map((at) => ({ createDate: now + at, sensorId: at % 2 ? SENSOR : 'id_b' })));
    const reader = await readHits(table, { ...everything, ...span });
    await readAll(reader);
    expect(numbers(reader.hits)).toEqual(expected);
  });
});

describe('hits after a given one', () => {
  const start = async (hits: readonly Record<string, unknown>[]) => {
    const { table, putHits, count } = alarmItems();
    await putHits(hits);
    const reader = await readHits(table, everything);
    await readAll(reader);
    const [first] = reader.hits.toReversed();
    const search = (last = now) =>
      first ? hitsAfter(table, HOME, first, { uuids: new Set([uuid(1)]), last }) : expect.unreachable();
    return { table, search, count };
  };
  const own = { sensorEventId: uuid(1) };

  test('a search finds the hits for the same events, and no other hits', async () => {
    const { search } = await start([{}, own, { sensorId: 'id_b', ...own }, own, own, { sensorEventId: uuid(9) }, own]);
    expect(numbers(await search())).toEqual([2, 4, 5, 7]);
  });

  test('a search after the newest hit, or after a hit without a position, finds nothing', async () => {
    const { table, search } = await start([own]);
    expect(await search()).toEqual([]);
    const unplaced: ReadHit = some({ sensorId: SENSOR });
    expect(await hitsAfter(table, HOME, unplaced, { uuids: new Set([uuid(1)]), last: now })).toEqual([]);
  });

  test('a search finds hits written long after the last event, such as after a crash', async () => {
    const late = { ...own, createDate: now + 3_600_000 };
    expect(numbers(await (await start([own, late, late, late, late])).search())).toEqual([2, 3, 4, 5]);
  });

  test.each([
    ['later than the last event', now + 1, 1],
    ['at the time of the last event', now, 3],
  ])('a search ends with a hit for another event if the hit is %s', async (_, createDate, reads) => {
    const { search, count } = await start([{}, own, { createDate }, own, own, own]);
    let found: readonly { id: number }[] = [];
    expect(
      await count('BatchGetCommand', async () => {
        found = await search();
      }),
    ).toBe(reads);
    expect(numbers(found)).toEqual(reads === 1 ? [2] : [2, 4, 5, 6]);
  });

  test('a search reads at most 50 hits', async () => {
    const { table, search } = await start(range(1, 60).map(() => own));
    expect(numbers(await search())).toEqual(range(2, 51));
    expect(numbers(await hitsSince(table, HOME, SENSOR, now))).toEqual(range(1, 50));
  });

  test('hits since a given time include any hit at exactly that time', async () => {
    const { table } = await start(range(1, 4).map((at) => ({ createDate: now + at })));
    expect(numbers(await hitsSince(table, HOME, SENSOR, now + 2))).toEqual([2, 3, 4]);
    expect(await hitsSince(table, HOME, SENSOR, now + 5)).toEqual([]);
    expect(await hitsSince(table, HOME, 'id_b', now)).toEqual([]);
  });
});
