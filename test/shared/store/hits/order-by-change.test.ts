import { describe, expect, test } from 'vitest';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import { rankByChange, sliceByChange } from '#shared/store/hits/hit-order.ts';
import type { HitSequence } from '#shared/store/hits/hit-sequence.ts';
import { SOON_MS } from '#shared/store/hits/late-change.ts';
import { now, some } from '#test/fixtures/store-items.ts';

/** `after`: when (ms) the hit last changed after its creation. `back`: by how much (ms) the clock was set back. */
type Case = { every: number; count: number; after: (id: number) => number; back?: (id: number) => number };
const lateAfter = (late: Record<number, number>, soon: (id: number) => number) => (id: number) => late[id] ?? soon(id);
const none = () => 0;
const varied = (id: number) => ((id * 7) % 11) * 1_000;
const cases: [string, Case][] = [
  ['hits that never changed', { every: 3_000, count: 25, after: none }],
  ['hits created at the same time', { every: 0, count: 25, after: none }],
  ['hits that changed as late as an early change can', { every: 1_000, count: 25, after: () => SOON_MS }],
  ['hits as far apart as an early change', { every: SOON_MS, count: 25, after: (id) => (id % 2) * SOON_MS }],
  ['hits that changed early in another order', { every: 1_000, count: 30, after: varied }],
  [
    'hits of which old ones changed last',
    { every: 3_000, count: 30, after: lateAfter({ 1: 500_000, 2: 400_000, 4: 500_000 }, varied) },
  ],
  [
    'hits of which the newest changed late',
    { every: 3_000, count: 30, after: lateAfter({ 28: 20_000, 29: 20_000, 30: 17_000 }, varied) },
  ],
  ['hits that all changed late', { every: 1_000, count: 20, after: (id) => 60_000 - 2_000 * id }],
  [
    'hits of which a whole stretch changed late',
    { every: 3_000, count: 40, after: (id) => (id > 10 && id <= 30 ? 500_000 - id : varied(id)) },
  ],
  [
    'hits after the clock was set back',
    { every: 1_000, count: 25, after: varied, back: (id) => (id > 11 && id < 15 ? 40_000 : 0) },
  ],
  ['a single hit', { every: 1, count: 1, after: none }],
];

/** Returns a sequence in memory that counts the hits read from it. */
const start = ({ every, count, after, back = none }: Case) => {
  const hits = Array.from({ length: count }, (_, at): HitItem => {
    const id = at + 101;
    const orderDate = now + every * at;
    const createDate = orderDate - back(at + 1);
    const updateDate = createDate + after(at + 1);
    return some({ id, createDate, updateDate, ...(createDate < orderDate && { orderDate }), messages: [] });
  });
  const dateOf = ({ createDate, orderDate = createDate }: HitItem) => orderDate;
  const late = hits
    .filter((hit) => hit.orderDate !== undefined || hit.updateDate > hit.createDate + SOON_MS)
    .map(({ id, updateDate }) => ({ id, sensorId: 's', updateDate }));
  const read = { hits: 0 };
  const line: HitSequence = {
    size: count,
    at: async (position) => {
      const hit = hits[position] ?? expect.unreachable();
      return { id: hit.id, createDate: dateOf(hit) };
    },
    positionOf: async () => expect.unreachable(),
    hits: async (from, to) => {
      const found = hits.slice(from, to);
      read.hits += found.length;
      return found;
    },
  };
  const sorted = (ties: 1 | -1) =>
    hits.toSorted((a, b) => b.updateDate - a.updateDate || ties * (a.id - b.id)).map(({ id }) => id);
  return { hits, late, line, read, sorted };
};

describe.each(cases)('the order by last change of %s', (_, given) => {
  test.each([1, -1] as const)('any slice of hits matches a full sort, with ties in the order %i', async (ties) => {
    const { hits, late, line, sorted } = start(given);
    const all = sorted(ties);
    const isLate = new Set(late.map(({ id }) => id));
    for (const length of new Set([1, 2, 5, 9, hits.length]))
      for (let offset = 0; offset + length <= hits.length; offset++) {
        const slice = await sliceByChange(line, late, { offset, length, ties });
        expect(slice.map(({ id }) => id)).toEqual(all.slice(offset, offset + length));
        for (const { id, updateDate, hit } of slice) {
          const expected = hits[id - 101] ?? expect.unreachable();
          expect([updateDate, hit]).toEqual([expected.updateDate, isLate.has(id) ? undefined : expected]);
        }
      }
  });

  test.each([1, -1] as const)('each hit ranks as in a full sort, with ties in the order %i', async (ties) => {
    const { hits, late, line, sorted } = start(given);
    const all = sorted(ties);
    for (const hit of hits) expect(await rankByChange(line, late, hit, ties)).toBe(all.indexOf(hit.id));
  });
});

test('an empty slice needs no reads', async () => {
  const { line, read } = start({ every: 1_000, count: 5, after: none });
  for (const length of [0, -1])
    expect(await sliceByChange(line, [], { offset: 5 - length, length, ties: 1 })).toEqual([]);
  expect(read.hits).toBe(0);
});

test('a slice of a long sequence needs only the hits around it', async () => {
  const { hits, line, late, read } = start({
    every: 3_000,
    count: 300,
    after: lateAfter({ 3: 10_000_000, 150: 20_000, 290: 60_000 }, varied),
  });
  for (const offset of [0, 50, 150, 250, 295]) {
    read.hits = 0;
    await sliceByChange(line, late, { offset, length: 5, ties: 1 });
    expect(read.hits).toBeLessThanOrEqual(40);
  }
  for (const at of [0, 2, 149, 298]) {
    read.hits = 0;
    await rankByChange(line, late, hits[at] ?? expect.unreachable(), 1);
    expect(read.hits).toBeLessThanOrEqual(16);
  }
});

test('a slice needs few hits even if many hits changed late, but in the same order', async () => {
  const { late, line, read } = start({ every: 3_000, count: 300, after: (id) => (id > 150 ? 20_000 : 0) });
  for (const offset of [50, 150, 200]) {
    read.hits = 0;
    await sliceByChange(line, late, { offset, length: 5, ties: 1 });
    expect(read.hits).toBeLessThanOrEqual(50);
  }
});
