import { expect, test } from 'vitest';
import { anna, HOME, hitWorld } from '#test/fixtures/answered-hits.ts';
import { now } from '#test/fixtures/store-items.ts';

const COUNT = 24;
/** Hits 3 s apart. Some changed within 10 s and some much later, several at the same time. */
const start = async () => {
  const world = hitWorld();
  const { its, put, hitKey, read } = world;
  const ids = Array.from({ length: COUNT }, (_, at) => at + 1);
  for (const id of ids) {
    const createDate = now + 3_000 * id;
    await put(id, { createDate, updateDate: createDate + ((id * 7) % 10) * 1_000 });
  }
  const late = { 2: 50_000, 5: 200_000, 9: 200_000, 14: 60_000, 15: 60_000, 21: 90_000 };
  for (const [id, after] of Object.entries(late)) {
    await its.acknowledgements.make(hitKey(Number(id)), anna(now + after), 0);
  }
  const hits = await Promise.all(ids.map(async (id) => (await read(id)) ?? expect.unreachable()));
  const sorted = (sortBy: string) => {
    const field = sortBy.includes('updateDate') ? 'updateDate' : 'id';
    const sign = sortBy.startsWith('desc') ? -1 : 1;
    return hits.toSorted((one, other) => sign * (one[field] - other[field]) || one.id - other.id).map(({ id }) => id);
  };
  const page = async (sortBy: string, number: number, perPage: number, after?: number, since = 0) => {
    const { total, hits: found } = await its.hitLists.page(HOME, since, { page: number, perPage, sortBy, after });
    return [total, found.map(({ id }) => id)] as const;
  };
  return { sorted, page };
};

test.each(['asc(updateDate)', 'desc(updateDate)', 'asc(id)', 'desc(id)'])(
  'hit pages sorted by %s contain each hit once, even after a given hit',
  async (sortBy) => {
    const { sorted, page } = await start();
    const ids = sorted(sortBy);
    for (const perPage of [1, 5, COUNT])
      for (let number = 0; number * perPage <= COUNT; number++)
        expect(await page(sortBy, number, perPage)).toEqual([
          COUNT,
          ids.slice(number * perPage, (number + 1) * perPage),
        ]);
    for (const [at, id] of ids.entries())
      expect(await page(sortBy, 0, 3, id)).toEqual([COUNT - at - 1, ids.slice(at + 1, at + 4)]);
    const isRecent = (id: number) => id > 10;
    const recent = ids.filter(isRecent);
    expect(await page(sortBy, 1, 4, undefined, now + 33_000)).toEqual([COUNT - 10, recent.slice(4, 8)]);
  },
);
