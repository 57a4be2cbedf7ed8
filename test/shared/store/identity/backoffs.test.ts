import { expect, test } from 'vitest';
import { backoffAfter } from '#shared/domain/delivery/backoff.ts';
import { rateKey } from '#shared/store/identity/limits.ts';
import { interference, memoryStore } from '#test/fixtures/memory-store.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const FROM = 3;

/** Counts failures, each as soon as allowed, and returns the wait after each. */
const failTimes = async (count: number) => {
  const { its, table } = memoryStore();
  const waits: number[] = [];
  let now = NOW;
  for (let n = 0; n < count; n++) {
    expect(await its.backoffs.fail('a', FROM, now)).toBe(0);
    waits.push(await its.backoffs.wait('a', now));
    now += waits.at(-1) ?? 0;
  }
  return { its, table, waits, now };
};

test('a subject does not have to wait before the first failure', async () => {
  const { backoffs } = memoryStore().its;
  expect(await backoffs.wait('a', NOW)).toBe(0);
  expect(await backoffs.reset('a', NOW)).toBe(0);
});

test('a subject has to wait longer after each failure beyond a given number', async () => {
  const { waits } = await failTimes(6);
  expect(waits.slice(0, 2)).toEqual([0, 0]);
  expect(waits.slice(2)).toEqual([3, 4, 5, 6].map((failures) => backoffAfter(failures, FROM)));
  expect(waits[2]).toBeGreaterThan(0);
  expect(waits[5]).toBeGreaterThan(waits[2] ?? 0);
});

test('an attempt made too early does not count', async () => {
  const { its, now, waits } = await failTimes(3);
  const wait = waits[2] ?? 0;
  expect(await its.backoffs.wait('a', now - wait)).toBe(wait);
  expect(await its.backoffs.fail('a', FROM, now - 1)).toBe(1);
  expect(await its.backoffs.reset('a', now - 1)).toBe(1);
  expect(await its.backoffs.wait('a', now)).toBe(0);
  expect(await its.backoffs.wait('b', now - wait)).toBe(0);
});

test('a subject starts over after a success', async () => {
  const { its, now } = await failTimes(3);
  expect(await its.backoffs.reset('a', now)).toBe(0);
  expect(await its.backoffs.fail('a', FROM, now)).toBe(0);
  expect(await its.backoffs.wait('a', now)).toBe(0);
});

test('a subject starts over exactly a day after the last failure', async () => {
  for (const [failed, later, isForgotten] of [
    [2, DAY - 1, false],
    [2, DAY, true],
    [3, DAY, true],
  ] as const) {
    const { its, now, waits } = await failTimes(failed);
    const last = now - (waits.at(-1) ?? 0);
    await its.backoffs.fail('a', FROM, last + later);
    expect((await its.backoffs.wait('a', last + later)) === 0).toBe(isForgotten);
  }
});

test('a subject does not wait for a time recorded before the clock was set back', async () => {
  const { its, now } = await failTimes(5);
  expect(await its.backoffs.wait('a', now - 30 * DAY)).toBe(0);
  expect(await its.backoffs.reset('a', now - 30 * DAY)).toBe(0);
});

test('failures expire a day after the last one', async () => {
  const { table, now, waits } = await failTimes(4);
  const ttl = Math.floor((now - (waits[3] ?? 0)) / 1_000) + 86_400;
  expect(await table.get(rateKey('a', 'failures'))).toMatchObject({ failures: 4, ttl });
  const early = await failTimes(1);
  expect(await early.table.get(rateKey('a', 'failures'))).toMatchObject({ ttl: NOW / 1_000 + 86_400 });
});

test('only one of several parallel failures is counted after waits begin', async () => {
  const { its } = await failTimes(2);
  const waits = await Promise.all(Array.from({ length: 5 }, () => its.backoffs.fail('a', FROM, NOW)));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(1);
  expect(new Set(waits.filter((wait) => wait > 0))).toEqual(new Set([backoffAfter(3, FROM)]));
});

test('a success has to wait if a parallel failure came first', async () => {
  const { before, once } = interference();
  const { backoffs } = memoryStore(before).its;
  for (let n = 0; n < 2; n++) await backoffs.fail('a', FROM, NOW);
  once('DeleteCommand', () => backoffs.fail('a', FROM, NOW));
  expect(await backoffs.reset('a', NOW)).toBe(backoffAfter(3, FROM));
  expect(await backoffs.wait('a', NOW)).toBe(backoffAfter(3, FROM));
});
