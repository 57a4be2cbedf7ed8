import { expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { HOME, hitWorld, SENSOR } from '#test/fixtures/answered-hits.ts';
import { interference } from '#test/fixtures/memory-store.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const given = (number: number, fields: object = {}) =>
  some({
    id: firstIdAt(now) + number,
    sensorId: SENSOR,
    ruleHitId: 1,
    eventId: null,
    createDate: now + number,
    ...fields,
  }) as { id: number; createDate: number };
const start = async (before?: Parameters<typeof hitWorld>[0]) => {
  const world = hitWorld(before);
  await world.table.write({ put: { ...items.sensor({ customerId: HOME, sensorId: SENSOR }), id: SENSOR } });
  await world.put(1);
  const { feedback } = world.its;
  return {
    ...world,
    create: (number: number, fields: object = {}) => feedback.create(HOME, some(given(number, fields))),
    remove: (number: number, at = now + 50) => feedback.remove(HOME, SENSOR, given(number).id, at),
    list: async (at = now) =>
      (await feedback.list(HOME, SENSOR, at, { page: 0, perPage: 10 })).data.map(({ id }) => id),
    shown: async () => (await world.read(1))?.feedback?.id ?? null,
  };
};
const idOf = (number: number) => given(number).id;

test('a hit shows the newest feedback, regardless of creation and deletion order', async () => {
  const { create, remove, shown, list } = await start();
  expect([await create(2), await create(1), await shown()]).toEqual(['done', 'done', idOf(2)]);
  expect([await create(3), await shown(), await list()]).toEqual(['done', idOf(3), [idOf(3), idOf(2), idOf(1)]]);
  expect([await remove(2), await shown()]).toEqual([true, idOf(3)]);
  expect([await remove(3), await shown()]).toEqual([true, idOf(1)]);
  expect([await remove(1), await shown(), await list()]).toEqual([true, null, []]);
  expect(await remove(1)).toBe(false);
});

test('feedback counts as a late change to the hit', async () => {
  const { create, remove, raw, lateChanges } = await start();
  await create(5);
  expect([await raw(1), await lateChanges()]).toMatchObject([{ isLate: true, updateDate: now + 5 }, [now + 5]]);
  await remove(5, now + 60);
  expect([await raw(1), await lateChanges()]).toMatchObject([{ feedback: null, updateDate: now + 60 }, [now + 60]]);
});

test('feedback needs an unused id, an existing sensor, and a hit that was not erased', async () => {
  const { create, put, list } = await start();
  await create(1);
  expect(await create(1)).toBe('clash');
  expect(await create(2, { sensorId: 'id_b' })).toBe('gone');
  expect(await create(3, { ruleHitId: 9 })).toBe('gone');
  await put(2, { isErased: true });
  expect(await create(4, { ruleHitId: 2 })).toBe('gone');
  expect(await create(5, { ruleHitId: null })).toBe('done');
  expect(await list()).toEqual([idOf(5), idOf(1)]);
});

test('feedback is kept as long as the events', async () => {
  const { create, remove, list, table } = await start();
  await create(0);
  const stored = await table.get<{ ttl: number }>(
    items.feedback({ customerId: HOME, sensorId: SENSOR, feedbackId: idOf(0) }),
  );
  expect((stored?.ttl ?? 0) * 1_000).toBe(now + EVENT_RETENTION);
  const last = now + EVENT_RETENTION;
  expect([await list(last), await list(last + 1)]).toEqual([[idOf(0)], []]);
  expect([await remove(0, last + 1), await remove(0, last)]).toEqual([false, true]);
});

test('feedback on a concurrently changed hit keeps both changes', async () => {
  const { before, once } = interference();
  const { create, remove, put, raw, shown } = await start(before);
  once('TransactWriteCommand', () => put(1, { updateDate: now + 1, acknowledgement: { name: 'Anna' } }));
  expect(await create(2)).toBe('done');
  expect([await raw(1), await shown()]).toMatchObject([{ acknowledgement: { name: 'Anna' } }, idOf(2)]);
  once('TransactWriteCommand', () => create(3, { createDate: now + 2 }));
  expect([await create(4, { createDate: now + 2 }), await shown()]).toEqual(['done', idOf(4)]);
  once('TransactWriteCommand', () => remove(4));
  expect([await remove(3), await shown()]).toEqual([true, idOf(2)]);
});
