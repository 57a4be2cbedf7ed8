import { describe, expect, test } from 'vitest';
import { hitsByIds, hitsOfCustomer, sensorLine } from '#shared/store/hits/hit-sequence.ts';
import { lists } from '#shared/store/table.ts';
import { HOME, hitWorld, SENSOR } from '#test/fixtures/answered-hits.ts';
import { now } from '#test/fixtures/store-items.ts';

const idsOf = (hits: readonly { id: number }[]) => hits.map(({ id }) => id);
const FIRST = 11;
const COUNT = 9;
const ids = Array.from({ length: COUNT }, (_, at) => FIRST + at);

describe('the hits of a customer', () => {
  /** Hits 11 to 19, one second apart. */
  const start = async () => {
    const { table, put } = hitWorld();
    for (const id of ids) await put(id, { createDate: now + id * 1_000 });
    return { put, line: (since: number, customerId = HOME) => hitsOfCustomer(table, customerId, since) };
  };

  test.each([
    ['before the oldest hit', 0, FIRST],
    ['of the oldest hit', 11_000, FIRST],
    ['just after the oldest hit', 11_001, 12],
    ['of a later hit', 15_000, 15],
    ['just after a later hit', 15_001, 16],
    ['of the newest hit', 19_000, 19],
    ['just after the newest hit', 19_001, 20],
  ])('the hits of a customer begin at the time %s', async (_, after, first) => {
    const line = await (await start()).line(now + after);
    const expected = ids.filter((id) => id >= first);
    expect(line.size).toBe(expected.length);
    expect(idsOf(await line.hits(0, line.size))).toEqual(expected);
    for (const [position, id] of expected.entries()) {
      expect(await line.at(position)).toEqual({ id, createDate: now + id * 1_000 });
      expect(await line.positionOf(id)).toBe(position);
    }
  });

  test('a range of hits includes its first position but not its last', async () => {
    const line = await (await start()).line(now + 13_000);
    expect(idsOf(await line.hits(1, 3))).toEqual([14, 15]);
    expect(idsOf(await line.hits(1, 2))).toEqual([14]);
    expect([await line.hits(2, 2), await line.hits(3, 1)]).toEqual([[], []]);
    expect(idsOf(await line.hits(5, 50))).toEqual([18, 19]);
  });

  test('an id outside the hits of a customer has the nearest position', async () => {
    const line = await (await start()).line(now + 13_000);
    const positions = [0, 12, 13, 19, 20, 99].map((id) => line.positionOf(id));
    expect(await Promise.all(positions)).toEqual([0, 0, 0, 6, 7, 7]);
  });

  test('a customer without hits has an empty sequence', async () => {
    const { line } = await start();
    for (const since of [0, now]) {
      const empty = await line(since, HOME + 1);
      expect([empty.size, await empty.positionOf(5), await empty.hits(0, 10)]).toEqual([0, 0, []]);
    }
  });

  test('a hit created after the clock was set back counts as created at the date of the previous hit', async () => {
    const { put, line } = await start();
    await put(20, { createDate: now, orderDate: now + 19_000 });
    expect((await line(now + 19_000)).size).toBe(2);
    expect(await (await line(0)).at(9)).toEqual({ id: 20, createDate: now + 19_000 });
    await put(10, { createDate: now, orderDate: now + 11_000 });
    expect([(await line(now + 11_000)).size, (await line(now + 11_001)).size]).toEqual([11, 9]);
  });
});

describe('the hits of a sensor', () => {
  /** Hits 11 to 19 one second apart, in three series. The oldest two hits of the first series have expired. */
  const start = async () => {
    const { table, put } = hitWorld();
    const add = (id: number, sensorId: string, series: number, number: number) => {
      const createDate = now + id * 1_000;
      return put(id, {
        sensorId,
        createDate,
        ...lists.hitsOfSensor({ customerId: HOME, sensorId, series, number, createDate }),
      });
    };
    for (const id of [11, 12, 13, 14]) await add(id, SENSOR, now, id - 8);
    for (const id of [15, 16]) await add(id, SENSOR, now + 1, id - 14);
    for (const id of [17, 18, 19]) await add(id, SENSOR, now + 2, id - 16);
    await add(20, 'id_b', now, 1);
    return (since: number, sensorId = SENSOR) => sensorLine(table, HOME, sensorId, since);
  };

  test.each([
    ['before the oldest hit', 0, FIRST],
    ['of the oldest hit', 11_000, FIRST],
    ['just after the oldest hit', 11_001, 12],
    ['of the last hit in a series', 14_000, 14],
    ['just after the last hit in a series', 14_001, 15],
    ['of the newest hit', 19_000, 19],
    ['just after the newest hit', 19_001, 20],
  ])('the hits of a sensor in several series begin at the time %s', async (_, after, first) => {
    const line = await (await start())(now + after);
    const expected = ids.filter((id) => id >= first);
    expect(line.size).toBe(expected.length);
    for (let from = 0; from <= expected.length; from++)
      for (let to = from; to <= expected.length + 1; to++)
        expect(idsOf(await line.hits(from, to))).toEqual(expected.slice(from, to));
    for (const [position, id] of expected.entries()) {
      expect(await line.at(position)).toMatchObject({ id, createDate: now + id * 1_000 });
      expect(await line.positionOf(id)).toBe(position);
    }
  });

  test('an id outside the hits of a sensor has the nearest position', async () => {
    const line = await (await start())(now + 13_000);
    const positions = [0, 12, 13, 19, 20].map((id) => line.positionOf(id));
    expect(await Promise.all(positions)).toEqual([0, 0, 0, 6, 7]);
  });

  test('a sensor has only its own hits, and an unknown sensor none', async () => {
    const line = await start();
    const other = await line(0, 'id_b');
    expect([other.size, idsOf(await other.hits(0, 9))]).toEqual([1, [20]]);
    for (const since of [0, now]) {
      const empty = await line(since, 'id_c');
      expect([empty.size, await empty.positionOf(5), await empty.hits(0, 9)]).toEqual([0, 0, []]);
    }
  });
});

test('hits are read in the order of the requested ids, skipping missing ones', async () => {
  const { table, put } = hitWorld();
  for (const id of [1, 2, 3]) await put(id);
  expect(idsOf(await hitsByIds(table, HOME, [3, 9, 1]))).toEqual([3, 1]);
  expect(await hitsByIds(table, HOME, [])).toEqual([]);
});
