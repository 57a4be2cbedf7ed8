import { expect, test } from 'vitest';
import { deliveries } from '#shared/store/deliveries/deliveries.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { createHooks, deliveryOf, HOME } from '#test/fixtures/store-deliveries.ts';
import { deliveryId, now } from '#test/fixtures/store-items.ts';

/** Five due deliveries in a table that returns at most `pageSize` items at once. */
const createDue = async (pageSize: number) => {
  const { its, table } = await createHooks();
  const ids = [1, 2, 3, 4, 5].map(deliveryId).toSorted();
  for (const id of ids) await its.deliveries.create(deliveryOf(1, { id, webhookId: null }), false);
  const reads: boolean[] = [];
  const query: Table['query'] = ({ consistent = true, limit = pageSize, ...input }) => {
    reads.push(consistent);
    return table.query({ ...input, consistent, limit: Math.min(limit, pageSize) });
  };
  const { dueToPeople } = deliveries({ ...table, query });
  const due = async (limit: number) =>
    (await dueToPeople(HOME, [now, now], now, limit)).map(({ delivery }) => ids.indexOf(delivery.id));
  return { due, reads };
};

test('all due deliveries to people are listed by creation date within a time range', async () => {
  const { its } = await createHooks();
  const ids = [1, 2, 3, 4].map(deliveryId).toSorted();
  const put = (at: number, fields: object) =>
    its.deliveries.create(deliveryOf(1, { id: ids[at], webhookId: null, ...fields }), at === 1);
  await put(0, {});
  await put(1, { nextAttempt: null });
  await put(2, { nextAttempt: now + 1 });
  await put(3, { state: 'delivered' });
  const due = async (range: [number, number], at = now, limit = 10) =>
    (await its.deliveries.dueToPeople(HOME, range, at, limit)).map(({ delivery, isIndexed }) => [
      ids.indexOf(delivery.id),
      isIndexed,
    ]);
  expect(await due([now, now])).toEqual([
    [0, false],
    [1, true],
  ]);
  expect(await due([now, now], now + 1)).toHaveLength(3);
  expect(await due([now, now], now, 1)).toEqual([[0, false]]);
  expect([await due([now + 1, now + 9]), await due([now - 9, now - 1])]).toEqual([[], []]);
});

test.each([1, 2, 9])(
  "the sweep reads people's due deliveries to the end or the limit in pages of %i",
  async (pageSize) => {
    const { due } = await createDue(pageSize);
    expect([await due(3), await due(10)]).toEqual([
      [0, 1, 2],
      [0, 1, 2, 3, 4],
    ]);
  },
);

test("reading people's due deliveries costs half, because they may be slightly out of date", async () => {
  const { due, reads } = await createDue(9);
  await due(10);
  expect(reads).toEqual([false]);
});

test("reading people's due deliveries stops at an empty page, so that it always ends", async () => {
  const pages = [{ items: [], next: {} }];
  const query = async () => pages.shift() ?? expect.unreachable('read on');
  expect(await deliveries({ query } as never).dueToPeople(HOME, [now, now], now, 10)).toEqual([]);
});
