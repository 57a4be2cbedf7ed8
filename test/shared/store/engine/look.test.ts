import { describe, expect, test } from 'vitest';
import { lookFor } from '#shared/store/engine/look.ts';
import { newestPage } from '#shared/store/engine/newest.ts';
import type { Query } from '#shared/store/engine/request.ts';

const BOUNDS = { stretch: 10, stretches: 3 };

/** A list of the numbers 1.. of which some fit, and how many of it were looked at. */
const listOf = (length: number, fits: (n: number) => boolean = () => true) => {
  const seen = { looked: 0 };
  const look = async (after = 0, limit = 0) => {
    const rows = Array.from({ length: Math.min(limit, length - after) }, (_, at) => after + at + 1);
    seen.looked += rows.length;
    return { rows: rows.filter(fits), next: after + rows.length < length ? after + rows.length : undefined };
  };
  return { seen, page: (page: number, perPage = 4, after?: number) => lookFor({ page, perPage, after }, BOUNDS, look) };
};

describe('a page of a list that is counted by looking', () => {
  test('of a list as long as a stretch or shorter has an exact total', async () => {
    for (const length of [0, 1, 9, 10])
      expect(await listOf(length).page(0)).toMatchObject({ total: length, isWhole: true, next: undefined });
    expect(await listOf(10).page(2)).toMatchObject({ data: [9, 10], total: 10, isWhole: true });
  });

  test('of a longer one counts what was looked at, and looks no further than its page needs', async () => {
    const list = listOf(1_000);
    expect(await list.page(0)).toMatchObject({ data: [1, 2, 3, 4], total: 10, isWhole: false, next: 10 });
    expect(list.seen.looked).toBe(10);
    expect(await list.page(2)).toMatchObject({ data: [9, 10, 11, 12], total: 20, isWhole: false, next: 20 });
    expect(list.seen.looked).toBe(30);
  });

  test('looks at so many and no more, whatever page is asked for and however few fit', async () => {
    for (const [fits, page] of [[() => true, 999_999] as const, [() => false, 0] as const]) {
      const list = listOf(1_000, fits);
      expect(await list.page(page)).toMatchObject({ data: [], isWhole: false, next: 30 });
      expect(list.seen.looked).toBe(30);
    }
  });

  test('goes on behind what was looked at', async () => {
    const list = listOf(100, (n) => n > 90);
    const first = await list.page(0);
    expect(first).toMatchObject({ data: [], total: 0, next: 30 });
    const second = await list.page(0, 4, Number(first.next));
    expect(await list.page(0, 4, Number(second.next))).toMatchObject({ data: [], next: 90 });
    expect(await list.page(0, 4, 90)).toMatchObject({ data: [91, 92, 93, 94], total: 10, isWhole: true });
  });
});

test('a list of the index asks for 5,001 keys for its first page and 20,004 for any, however long it is', async () => {
  let asked = 0;
  const table = {
    query: async ({ limit = Number.POSITIVE_INFINITY, between: [, to] = ['', '0'] }: Query) => {
      asked += limit;
      const items = Array.from({ length: limit }, (_, at) => ({ pk: 'p', sk: 's', listSk: String(Number(to) - at) }));
      return { items, next: { pk: 'p' } };
    },
    getAllEventual: async () => [],
  };
  const show = (page: number) =>
    newestPage(table as never, { pk: 'p', at: ({ id }) => String(id) }, 0, { page, perPage: 200 });
  expect(await show(0)).toMatchObject({ total: 5_000, isWhole: false });
  expect(asked).toBe(5_001);
  asked = 0;
  expect(await show(1_000)).toMatchObject({ total: 20_000, data: [], isWhole: false });
  expect(asked).toBe(20_004);
});
