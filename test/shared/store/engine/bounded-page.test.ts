import { describe, expect, test } from 'vitest';
import { readPage } from '#shared/store/engine/bounded-page.ts';
import { newestPage } from '#shared/store/engine/newest-page.ts';
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

  test('a bounded page continues after rows already read', async () => {
    const list = listOf(100, (n) => n > 90);
    const first = await list.page(0);
    expect(first).toMatchObject({ data: [], total: 0, next: 30 });
    const second = await list.page(0, 4, Number(first.next));
    expect(await list.page(0, 4, Number(second.next))).toMatchObject({ data: [], next: 90 });
    expect(await list.page(0, 4, 90)).toMatchObject({ data: [91, 92, 93, 94], total: 10, isWhole: true });
  });
});

test('reading the first page takes 5,001 index keys, and reading any page takes at most 20,004', async () => {
  let keysRead = 0;
  const table = {
    query: async ({ limit = Number.POSITIVE_INFINITY, between: [, to] = ['', '0'] }: Query) => {
      keysRead += limit;
      const items = Array.from({ length: limit }, (_, at) => ({ pk: 'p', sk: 's', listSk: String(Number(to) - at) }));
      return { items, next: { pk: 'p' } };
    },
    getAllEventual: async () => [],
  };
  const show = (page: number) =>
    newestPage(table as never, { pk: 'p', at: ({ id }) => String(id) }, 0, { page, perPage: 200 });
  expect(await show(0)).toMatchObject({ total: 5_000, isWhole: false });
  expect(keysRead).toBe(5_001);
  keysRead = 0;
  expect(await show(1_000)).toMatchObject({ total: 20_000, data: [], isWhole: false });
  expect(keysRead).toBe(20_004);
});
