import { expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { SOON_MS } from '#shared/store/hits/late-change.ts';
import { items } from '#shared/store/table.ts';
import { anna, HOME, hitWorld } from '#test/fixtures/answered-hits.ts';
import { now } from '#test/fixtures/store-items.ts';

const OLD = now - 3_600_000;
const start = async () => {
  const world = hitWorld();
  const { hitLists, hitReports, acknowledgements } = world.its;
  const message = () => [{ sendTryTimes: [] }];
  for (let id = 1; id <= 5; id++)
    await world.put(id, { createDate: OLD + id, updateDate: OLD + id, messages: message() });
  return {
    ...world,
    latest: (since = 0, at = now) => hitLists.latestChanges(HOME, { now: at, since }),
    last: async (changes: { hitId: number; updateDate: number }[], limit: number, at = now) =>
      (await hitLists.lastChanged(HOME, changes, { now: at, limit })).map(({ id }) => id),
    report: (hitId: number, at: number) =>
      hitReports.report({ customerId: HOME, hitId, at: 0, tries: [at], sent: true }, at),
    acknowledge: (hitId: number, at: number) => acknowledgements.make({ customerId: HOME, hitId }, anna(at), 0),
  };
};

test('the latest changes include the newest hits and late changes to older ones', async () => {
  const { latest, acknowledge } = await start();
  const newest = [5, 4].map((hitId) => ({ hitId, updateDate: OLD + hitId }));
  expect(await latest()).toEqual(newest);
  await acknowledge(1, now);
  await acknowledge(2, now + 1);
  expect(await latest()).toEqual([...newest, { hitId: 2, updateDate: now + 1 }, { hitId: 1, updateDate: now }]);
});

test('the latest changes include all recent hits, because their changes are not listed separately', async () => {
  const { latest, put, report } = await start();
  for (let id = 6; id <= 10; id++) await put(id, { createDate: now - SOON_MS + id, messages: [{ sendTryTimes: [] }] });
  await report(6, now);
  const ids = (await latest()).map(({ hitId }) => hitId);
  expect(ids).toEqual(expect.arrayContaining([6, 7, 8, 9, 10]));
  expect((await latest()).find(({ hitId }) => hitId === 6)?.updateDate).toBe(now);
});

test.each([
  ['exactly 15 s ago', SOON_MS + 5_000, [5, 4, 3, 2]],
  ['more than 15 s ago', SOON_MS + 5_001, [5, 4]],
])('the latest changes continue past hits created at most 15 s ago: %s', async (_, age, expected) => {
  const { latest, put } = await start();
  for (const id of [4, 5]) await put(id, { createDate: now - age, updateDate: now });
  expect((await latest()).map(({ hitId }) => hitId)).toEqual(expected);
});

test('the latest changes end once one of two hits is old', async () => {
  const { latest, put } = await start();
  await put(5, { createDate: now, updateDate: now });
  expect((await latest()).map(({ hitId }) => hitId)).toEqual([5, 4]);
});

test('the latest changes omit hits created before the requested time', async () => {
  const { latest, table } = await start();
  const ttl = (createDate: number) => Math.ceil((createDate + EVENT_RETENTION) / 1_000);
  for (let hitId = 1; hitId <= 100; hitId++) {
    const key = items.lateChange({ customerId: HOME, hitId });
    await table.write({ put: { ...key, sensorId: 's', updateDate: now + hitId, ttl: ttl(OLD + hitId * 1_000) } });
  }
  const late = async (since: number) => (await latest(since)).slice(2).map(({ hitId }) => hitId);
  expect(await late(OLD + 99_000)).toEqual([100, 99]);
  expect(await late(0)).toHaveLength(100);
});

test('recently changed hits are listed by latest change, newest first', async () => {
  const { last, acknowledge, put } = await start();
  await acknowledge(1, now);
  const changes = [{ hitId: 1, updateDate: now }];
  expect(await last(changes, 3)).toEqual([1, 5, 4]);
  expect(await last(changes, 1)).toEqual([1]);
  expect(await last([...changes, { hitId: 1, updateDate: OLD }], 2)).toEqual([1, 5]);
  expect(await last([{ hitId: 2, updateDate: OLD + 5 }], 2)).toEqual([5, 2]);
  await put(1, { isErased: true });
  expect(await last(changes, 2)).toEqual([5]);
});

test('recently changed hits that changed at the same time are listed newest hit first', async () => {
  const { last } = await start();
  const changes = [1, 2, 3].map((hitId) => ({ hitId, updateDate: now }));
  expect(await last(changes, 3)).toEqual([3, 2, 1]);
  expect(await last(changes.toReversed(), 3)).toEqual([3, 2, 1]);
});

test('recently changed hits omit hits that no longer exist', async () => {
  const { last } = await start();
  expect(await last([{ hitId: 99, updateDate: now }], 3)).toEqual([5, 4]);
});

test('recently changed hits omit changes recorded before the clock was set back', async () => {
  const { last, put } = await start();
  const ahead = now + 86_400_000;
  await put(5, { createDate: OLD + 5, updateDate: ahead });
  expect(await last([{ hitId: 1, updateDate: now - 1 }], 3)).toEqual([1, 4, 3]);
});
