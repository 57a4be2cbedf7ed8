import { expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import {
  isSoonChange,
  lateChanges,
  lateChangesSince,
  lateChangeWrite,
  SOON_MS,
} from '#shared/store/hits/late-change.ts';
import { HOME, hitWorld } from '#test/fixtures/answered-hits.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const start = () => {
  const { table } = hitWorld();
  const note = (id: number, sensorId: string, createDate: number, time: number) =>
    table.write(lateChangeWrite(HOME, some({ id, sensorId, createDate }), time));
  return { table, note };
};

test.each([
  ['late', 'before the hit', -1],
  ['early', 'at the same time as the hit', 0],
  ['early', 'exactly 10 s after the hit', SOON_MS],
  ['late', 'more than 10 s after the hit', SOON_MS + 1],
])('a change counts as %s if made %s', (kind, _, after) => {
  expect(isSoonChange({ createDate: now }, now + after)).toBe(kind === 'early');
});

test('late changes show the hit, its sensor and when it last changed', async () => {
  const { table, note } = start();
  await note(2, 'id_b', now, now + 60_000);
  await note(1, 'id_a', now, now + 70_000);
  await note(1, 'id_a', now, now + 80_000);
  expect(await lateChanges(table, HOME)).toMatchObject([
    { id: 1, sensorId: 'id_a', updateDate: now + 80_000 },
    { id: 2, sensorId: 'id_b', updateDate: now + 60_000 },
  ]);
  expect(await lateChanges(table, HOME + 1)).toEqual([]);
});

test.each([
  ['at a full second', now, 0],
  ['just after a full second', now + 1, 1],
])('a late change to a hit created %s is kept as long as the hit', (_, createDate, more) => {
  const expiry = (now + EVENT_RETENTION) / 1_000;
  const write = lateChangeWrite(HOME, some({ id: 1, sensorId: 's', createDate }), now + 60_000);
  expect(write).toMatchObject({ put: { ttl: expiry + more, updateDate: now + 60_000 } });
});

test('a late change to a hit created after the clock was set back is kept as long as the hit', () => {
  const hit = some({ id: 1, sensorId: 's', createDate: now - 3_600_000, orderDate: now });
  expect(lateChangeWrite(HOME, hit, now)).toMatchObject({ put: { ttl: (now + EVENT_RETENTION) / 1_000 } });
});

test('setting the clock back does not hide late changes to earlier hits', async () => {
  const { table } = start();
  for (const [id, createDate] of [
    [1, now],
    [2, now - 3_600_000],
  ] as const)
    await table.write(lateChangeWrite(HOME, some({ id, sensorId: 's', createDate, orderDate: now }), now + 60_000));
  expect((await lateChangesSince(table, HOME, now)).map(({ hitId }) => hitId)).toEqual([2, 1]);
});

test('late changes since a given time are listed newest hit first', async () => {
  const { table, note } = start();
  for (let id = 1; id <= 85; id++) await note(id, 's', now + id * 1_000, now + 9_000_000 - id);
  const found = async (since: number) => (await lateChangesSince(table, HOME, since)).map(({ hitId }) => hitId);
  const from = (first: number) => Array.from({ length: 86 - first }, (_, at) => 85 - at);
  expect(await found(0)).toEqual(from(1));
  for (const first of [2, 45, 46, 47, 85]) expect(await found(now + first * 1_000)).toEqual(from(first));
  expect(await found(now + 86_000)).toEqual([]);
  expect((await lateChangesSince(table, HOME, now + 85_000))[0]).toEqual({
    hitId: 85,
    updateDate: now + 9_000_000 - 85,
  });
});
