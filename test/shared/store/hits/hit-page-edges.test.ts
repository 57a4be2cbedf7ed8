import { describe, expect, test } from 'vitest';
import { lists } from '#shared/store/table.ts';
import { anna, HOME, hitWorld } from '#test/fixtures/answered-hits.ts';
import { now } from '#test/fixtures/store-items.ts';

const orders = ['asc(updateDate)', 'desc(updateDate)', 'asc(id)', 'desc(id)'];
/** Nine hits a minute apart, alternately at two sensors. Three changed late: hit 7, then hits 2 and 1. */
const LATE = { 7: 900_000, 2: 910_000, 1: 920_000 };
const byChange = [3, 4, 5, 6, 8, 9, 7, 2, 1];
const byId = [1, 2, 3, 4, 5, 6, 7, 8, 9];

const sensorOf = (id: number) => (id % 2 === 1 ? 'id_a' : 'id_b');
const start = async () => {
  const world = hitWorld();
  const { its, put, hitKey } = world;
  for (const id of byId) {
    const [sensorId, createDate] = [sensorOf(id), now + id * 60_000];
    const number = { series: now, number: Math.ceil(id / 2) };
    const listed = lists.hitsOfSensor({ customerId: HOME, sensorId, ...number, createDate });
    await put(id, { sensorId, createDate, updateDate: createDate, ...listed });
  }
  for (const [id, after] of Object.entries(LATE))
    await its.acknowledgements.make(hitKey(Number(id)), anna(now + after), 0);
  const shown = ({ total, hits }: { total: number; hits: { id: number }[] }) => [total, hits.map(({ id }) => id)];
  const page = async (sortBy: string, query: object, since = 0, customerId = HOME) =>
    shown(await its.hitLists.page(customerId, since, { page: 0, perPage: 20, sortBy, ...query }));
  const pageOfSensor = async (sortBy: string, query: object, since = 0, sensorId = 'id_a') =>
    shown(await its.hitLists.pageOfSensor(HOME, sensorId, since, { page: 0, perPage: 20, sortBy, ...query }));
  return { ...world, page, pageOfSensor };
};
const sorted = (sortBy: string, isListed: (id: number) => boolean = () => true) => {
  const ids = (sortBy.includes('updateDate') ? byChange : byId).filter(isListed);
  return sortBy.startsWith('desc') ? ids.toReversed() : ids;
};

describe.each(orders)('hits sorted by %s', (sortBy) => {
  test('hit pages end with a partial page, and later pages are empty', async () => {
    const { page } = await start();
    const ids = sorted(sortBy);
    const pages = [0, 1, 2, 3, 4].map((number) => page(sortBy, { page: number, perPage: 4 }));
    const expected = [ids.slice(0, 4), ids.slice(4, 8), ids.slice(8), [], []];
    expect(await Promise.all(pages)).toEqual(expected.map((found) => [9, found]));
  });

  test('hit pages of a sensor contain only its hits, each once', async () => {
    const { pageOfSensor } = await start();
    const ids = sorted(sortBy, (id) => sensorOf(id) === 'id_a');
    const pages = [0, 1, 2, 3].map((number) => pageOfSensor(sortBy, { page: number, perPage: 2 }));
    const expected = [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []];
    expect(await Promise.all(pages)).toEqual(expected.map((found) => [5, found]));
  });

  test('hit pages after a given hit contain and count only the hits that follow it', async () => {
    const { page, pageOfSensor } = await start();
    const ids = sorted(sortBy);
    for (const [at, after] of ids.entries())
      expect([await page(sortBy, { after }), await page(sortBy, { after, perPage: 2, page: 1 })]).toEqual([
        [8 - at, ids.slice(at + 1)],
        [8 - at, ids.slice(at + 3, at + 5)],
      ]);
    const own = sorted(sortBy, (id) => sensorOf(id) === 'id_a');
    for (const [at, after] of own.entries())
      expect(await pageOfSensor(sortBy, { after })).toEqual([4 - at, own.slice(at + 1)]);
  });

  test('hit pages since a given time omit older hits, even if they changed late', async () => {
    const { page, pageOfSensor } = await start();
    for (const first of [1, 2, 3, 7, 9]) {
      const since = now + first * 60_000;
      const ids = sorted(sortBy, (id) => id >= first);
      expect(await page(sortBy, {}, since)).toEqual([ids.length, ids]);
      const own = ids.filter((id) => sensorOf(id) === 'id_a');
      expect(await pageOfSensor(sortBy, {}, since)).toEqual([own.length, own]);
    }
    expect(await page(sortBy, {}, now + 540_001)).toEqual([0, []]);
  });

  test('a page without hits has a total of 0', async () => {
    const { page, pageOfSensor } = await start();
    for (const query of [{}, { page: 1 }, { after: 5 }]) {
      expect(await page(sortBy, query, 0, HOME + 1)).toEqual([0, []]);
      expect(await pageOfSensor(sortBy, query, 0, 'id_c')).toEqual([0, []]);
    }
  });

  test('an erased hit counts toward the total, but does not appear on a page', async () => {
    const { page, put } = await start();
    await put(5, { createDate: now + 300_000, updateDate: now + 300_000, isErased: true });
    expect(await page(sortBy, {})).toEqual([9, sorted(sortBy, (id) => id !== 5)]);
  });
});

test('an expired hit counts as the one that changed first', async () => {
  const { page } = await start();
  const after = 99;
  expect(await page('desc(updateDate)', { after })).toEqual([0, []]);
  expect(await page('asc(updateDate)', { after })).toEqual([9, byChange]);
});

test('hits that changed at the same time are sorted by id in either direction', async () => {
  const { page, put } = await start();
  const changed = { updateDate: now + 305_000 };
  for (const id of [5, 6]) await put(id, { createDate: now + 300_000, ...changed });
  for (const sortBy of ['asc(updateDate)', 'desc(updateDate)']) {
    const [, ids] = await page(sortBy, {});
    expect(ids).toEqual(sortBy.startsWith('asc') ? byChange : [1, 2, 7, 9, 8, 5, 6, 4, 3]);
    expect(await page(sortBy, { after: 5, perPage: 1 })).toMatchObject([expect.anything(), [6]]);
  }
});
