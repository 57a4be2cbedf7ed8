import { describe, expect, test } from 'vitest';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { newestPage } from '#shared/store/engine/newest-page.ts';
import type { Query } from '#shared/store/engine/request.ts';
import { items, lists } from '#shared/store/table.ts';
import { memoryStore } from '#test/fixtures/memory-store.ts';

const since = 1_800_000_000_000;
const first = firstIdAt(since);

describe('newest items', () => {
  const sensor = { customerId: 3, sensorId: 'id_a' };
  const list = { pk: lists.feedbackOfSensor.pk(sensor), at: lists.feedbackOfSensor.sk };
  /** Returns a list with these ids, written in this order, next to the list of another sensor. */
  const listOf = async (...ids: number[]) => {
    const { table } = memoryStore();
    const put = (of: typeof sensor, id: number) => {
      const keys = { ...items.feedback({ ...of, feedbackId: id }), ...lists.feedbackOfSensor({ ...of, id }) };
      return table.write({ put: { ...keys, id, comment: `no. ${id - first}` } });
    };
    for (const id of ids) await put(sensor, id);
    await put({ customerId: 3, sensorId: 'id_b' }, first + 2);
    return table;
  };
  type Feedback = { id: number; comment: string };
  const read = (table: Table, query: { page: number; perPage: number; after?: number }) =>
    newestPage<Feedback>(table, list, since, query);
  const idsOf = ({ data }: { data: Feedback[] }) => data.map(({ id }) => id - first);

  test('a page contains whole items, newest first', async () => {
    const table = await listOf(first + 3, first + 1, first + 4, first + 2);
    const page = await read(table, { page: 0, perPage: 3 });
    expect(page.data.map(({ comment }) => comment)).toEqual(['no. 4', 'no. 3', 'no. 2']);
    expect(page).toMatchObject({ total: 4, page: 0, perPage: 3, isWhole: true, next: undefined });
    expect(idsOf(await read(table, { page: 1, perPage: 3 }))).toEqual([1]);
  });

  test('a page contains only items from the earliest time on', async () => {
    const page = await read(await listOf(first - 1, first, first + 1), { page: 0, perPage: 10 });
    expect([idsOf(page), page.total]).toEqual([[1, 0], 2]);
  });

  test('a list continues with the next older item, down to the first one', async () => {
    const table = await listOf(first - 1, first, first + 1, first + 2);
    const olderThan = (id: number) => read(table, { page: 0, perPage: 10, after: id });
    expect(idsOf(await olderThan(first + 2))).toEqual([1, 0]);
    expect(idsOf(await olderThan(first + 1))).toEqual([0]);
  });

  test('continuing after the first item returns an empty page without reading anything', async () => {
    const table = { getAllEventual: async () => [] } as never;
    const empty = { total: 0, page: 0, perPage: 10, data: [], isWhole: true, next: undefined };
    expect(await read(table, { page: 0, perPage: 10, after: first })).toEqual(empty);
  });
});

describe('long lists', () => {
  /** A list with the ids from 1 to `length`, and the numbers of keys and items read. */
  const listOf = (length: number) => {
    const read = { keys: 0, items: 0 };
    const table = {
      query: async ({ between: [, to] = ['', ''], limit = 0 }: Query) => {
        const newest = Math.min(length, Number(to));
        const rows = Array.from({ length: Math.min(newest, limit) }, (_, at) => newest - at);
        read.keys += rows.length;
        return {
          items: rows.map((id) => ({ pk: 'p', sk: `${id}`, listSk: `${id}` })),
          next: rows.length < newest ? { pk: 'p' } : undefined,
        };
      },
      getAllEventual: async (keys: readonly { sk: string }[]) => {
        read.items += keys.length;
        // A batch read returns items in any order.
        return keys.map(({ sk }) => ({ id: Number(sk) })).toReversed();
      },
    };
    const show = async (page: number, perPage: number, after?: number) => {
      Object.assign(read, { keys: 0, items: 0 });
      const list = { pk: 'p', at: ({ id }: { id: number }) => `${id}`.padStart(16, '0') };
      return newestPage<{ id: number }>(table as never, list, 0, { page, perPage, after });
    };
    return { show, read };
  };

  test('reading the first page takes 5,001 keys, reading any page at most 20,004, and only its own items', async () => {
    const { show, read } = listOf(100_000);
    expect(await show(0, 200)).toMatchObject({ total: 5_000, isWhole: false });
    expect(read).toEqual({ keys: 5_001, items: 200 });
    expect(await show(1_000, 200)).toMatchObject({ total: 20_000, data: [], isWhole: false });
    expect(read).toEqual({ keys: 20_004, items: 0 });
  });

  test('a page that spans two reads has no gap and no repetition', async () => {
    const { data } = await listOf(6_000).show(1_666, 3);
    expect(data.map(({ id }) => id)).toEqual([1_002, 1_001, 1_000]);
  });

  test('a list of more than 5,000 items continues after the last key read', async () => {
    const { show } = listOf(5_003);
    const { next, isWhole } = await show(0, 2);
    expect([next, isWhole]).toEqual([4, false]);
    expect(await show(0, 5, Number(next))).toMatchObject({
      data: [{ id: 3 }, { id: 2 }, { id: 1 }],
      total: 3,
      isWhole: true,
    });
  });
});
