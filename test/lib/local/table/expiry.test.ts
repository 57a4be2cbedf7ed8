import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { removeExpired } from '#lib/local/table/expiry.ts';
import { openStorage } from '#lib/local/table/storage.ts';

const START = 1_790_000_000_000;

test('all expired items are removed after an hour, and items without an expiry are kept', async () => {
  const storage = openStorage(':memory:');
  const clock = virtualClock(START);
  const put = (sk: string, ttl?: number) =>
    storage.turns.write(() => storage.rows.put({ pk: 'p', sk, ...(ttl !== undefined && { ttl }) }, 1));
  const seconds = START / 1_000;
  for (let at = 0; at < 450; at++) await put(`old ${at}`, seconds - 3_600);
  await put('kept');
  await put('young', seconds - 3_590);
  const stop = removeExpired(storage, clock);
  const left = () => storage.database.prepare('SELECT count(*) AS n FROM items').get()?.n;
  await clock.advance(59_999);
  expect(left()).toBe(452);
  await clock.advance(1);
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect([left(), storage.rows.get('p', 'young'), storage.rows.get('p', 'kept')]).toEqual([
    1,
    null,
    { pk: 'p', sk: 'kept' },
  ]);
  stop();
  await storage.close();
});
