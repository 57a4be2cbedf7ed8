import { describe, expect, test } from 'vitest';
import { readFirst, readPage } from '#shared/store/engine/bounded-page.ts';
import type { Query } from '#shared/store/engine/request.ts';

const BOUNDS = { stretch: 10, stretches: 3 };

/** A list of the numbers from 1, some of them matching, and a count of the numbers read. */
const listOf = (length: number, matches: (n: number) => boolean = () => true) => {
  const read = { rows: 0 };
  const readChunk = async (after = 0, limit = 0) => {
    const rows = Array.from({ length: Math.min(limit, length - after) }, (_, at) => after + at + 1);
    read.rows += rows.length;
    return { rows: rows.filter(matches), next: after + rows.length < length ? after + rows.length : undefined };
  };
  const page = (page: number, perPage = 4, after?: number) => readPage({ page, perPage, after }, BOUNDS, readChunk);
  return { read, page };
};

describe('bounded pages', () => {
  test('a bounded page has the exact total if the list fits into one chunk', async () => {
    for (const length of [0, 1, 9, 10])
      expect(await listOf(length).page(0)).toMatchObject({ total: length, isWhole: true, next: undefined });
    expect(await listOf(10).page(2)).toMatchObject({ data: [9, 10], total: 10, isWhole: true });
  });

  test('a bounded page reports the number of rows read so far for a longer list', async () => {
    const list = listOf(1_000);
    expect(await list.page(0)).toMatchObject({ data: [1, 2, 3, 4], total: 10, isWhole: false, next: 10 });
    expect(list.read.rows).toBe(10);
    expect(await list.page(2)).toMatchObject({ data: [9, 10, 11, 12], total: 20, isWhole: false, next: 20 });
    expect(list.read.rows).toBe(30);
  });

  test('a bounded page reads a limited number of chunks, even if few rows match', async () => {
    for (const [matches, page] of [[() => true, 999_999] as const, [() => false, 0] as const]) {
      const list = listOf(1_000, matches);
      expect(await list.page(page)).toMatchObject({ data: [], isWhole: false, next: 30 });
      expect(list.read.rows).toBe(30);
    }
  });

  test('a bounded page reads exactly the chunks it needs, including one row beyond the page', async () => {
    const last = listOf(1_000);
    await last.page(0, 9);
    expect(last.read.rows).toBe(10);
    const further = listOf(1_000);
    await further.page(0, 10);
    expect(further.read.rows).toBe(20);
  });

  test('a bounded page marks only its first chunk as the first', async () => {
    const marks: boolean[] = [];
    await readPage({ page: 5, perPage: 1 }, BOUNDS, async (after: number | undefined = 0, _, isFirst) => {
      marks.push(isFirst);
      return { rows: [after], next: after + 1 };
    });
    expect(marks).toEqual([true, false, false]);
  });

  test('a bounded page continues after rows already read', async () => {
    const list = listOf(100, (n) => n > 90);
    const first = await list.page(0);
    expect(first).toMatchObject({ data: [], total: 0, next: 30 });
    const second = await list.page(0, 4, Number(first.next));
    expect(await list.page(0, 4, Number(second.next))).toMatchObject({ data: [], next: 90 });
    expect(await list.page(0, 4, 90)).toMatchObject({ data: [91, 92, 93, 94], total: 10, isWhole: true });
  });
});

describe('first items of a query', () => {
  /** A table with the rows 1 to `length`, returned at most `most` per query, and the queries made. */
  const tableOf = (length: number, most = Number.POSITIVE_INFINITY) => {
    const asked: [limit: number, consistent: boolean | undefined][] = [];
    const query = async ({ startAfter, limit = most, consistent }: Query) => {
      asked.push([limit, consistent]);
      const after = Number(startAfter?.n ?? 0);
      const last = Math.min(length, after + Math.min(limit, most));
      const items = Array.from({ length: last - after }, (_, at) => ({ n: after + at + 1 }));
      return { items, next: last < length ? { n: last } : undefined };
    };
    return { table: { query } as never, asked };
  };
  const first = async (length: number, limit: number, most?: number) => {
    const { rows, isWhole } = await readFirst(tableOf(length, most).table, { pk: 'p' }, limit);
    return [rows.map(({ n }) => n), isWhole];
  };

  test('readFirst returns up to the limit, and whether these are all', async () => {
    expect(await first(0, 3)).toEqual([[], true]);
    expect(await first(3, 3)).toEqual([[1, 2, 3], true]);
    expect(await first(4, 3)).toEqual([[1, 2, 3], false]);
  });

  test('readFirst gives the same result if the table returns fewer rows per query', async () => {
    for (const most of [1, 2, 3]) {
      expect(await first(3, 3, most)).toEqual([[1, 2, 3], true]);
      expect(await first(9, 3, most)).toEqual([[1, 2, 3], false]);
    }
  });

  test('readFirst reads one row beyond the limit and no more, all at half the cost by default', async () => {
    const { table, asked } = tableOf(100, 4);
    await readFirst(table, { pk: 'p' }, 9);
    expect(asked).toEqual([
      [10, false],
      [6, false],
      [2, false],
    ]);
  });

  test('readFirst starts where the query starts', async () => {
    const { rows } = await readFirst(tableOf(5).table, { pk: 'p', startAfter: { n: 3 } }, 9);
    expect(rows).toEqual([{ n: 4 }, { n: 5 }]);
  });

  test.each([
    [0, [[4, false]]],
    [
      1,
      [
        [1, true],
        [3, false],
      ],
    ],
    [
      2,
      [
        [2, true],
        [2, false],
      ],
    ],
    [9, [[4, true]]],
  ])('readFirst reads the first %i rows consistently, and later ones at half the cost', async (fresh, queries) => {
    const { table, asked } = tableOf(100);
    expect(await readFirst(table, { pk: 'p' }, 3, fresh)).toEqual({
      rows: [{ n: 1 }, { n: 2 }, { n: 3 }],
      isWhole: false,
    });
    expect(asked).toEqual(queries);
  });
});
