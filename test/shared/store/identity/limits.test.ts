import { describe, expect, test } from 'vitest';
import { rateKey } from '#shared/store/identity/limits.ts';
import { interference, memoryStore } from '#test/fixtures/memory-store.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1_000;

test('requests are counted per subject within the current second', async () => {
  const { limits } = memoryStore().its;
  expect(await limits.countCall('a', NOW)).toBe(1);
  expect(await limits.countCall('a', NOW + 999)).toBe(2);
  expect(await limits.countCall('b', NOW)).toBe(1);
  expect(await limits.countCall('a', NOW + 1_000)).toBe(1);
});

test('a counted request can be taken back within the same second', async () => {
  const { limits } = memoryStore().its;
  await limits.countCall('a', NOW);
  await limits.countCall('a', NOW);
  expect(await limits.countCall('a', NOW + 1, -1)).toBe(1);
  expect(await limits.countCall('a', NOW)).toBe(2);
});

test('a counted request expires after two minutes, and the subject is stored as a hash', async () => {
  const { its, table } = memoryStore();
  await its.limits.countCall('address:192.0.2.1', NOW);
  const row = await table.get(rateKey('address:192.0.2.1', NOW / 1_000));
  expect(row).toMatchObject({ calls: 1, ttl: NOW / 1_000 + 120 });
  expect(JSON.stringify(row)).not.toContain('192.0.2.1');
});

describe('failed attempts', () => {
  test('failed attempts are counted in a window starting with the first failure', async () => {
    const { limits } = memoryStore().its;
    const count = (now: number) => limits.countFailure('a', 60, now);
    expect(await count(NOW)).toEqual({ count: 1, seconds: 60 });
    expect(await count(NOW + 10 * SECOND)).toEqual({ count: 2, seconds: 50 });
    expect(await count(NOW + 60 * SECOND - 1)).toEqual({ count: 3, seconds: 1 });
    expect(await count(NOW + 60 * SECOND)).toEqual({ count: 1, seconds: 60 });
    expect(await limits.countFailure('b', 60, NOW)).toEqual({ count: 1, seconds: 60 });
  });

  test('a subject waits until the window ends once failed attempts reach the limit', async () => {
    const { limits } = memoryStore().its;
    const wait = (now: number, limit = 2) => limits.secondsToWait('a', limit, 60, now);
    expect(await wait(NOW)).toBe(0);
    await limits.countFailure('a', 60, NOW);
    expect(await wait(NOW)).toBe(0);
    await limits.countFailure('a', 60, NOW + SECOND);
    expect([await wait(NOW + SECOND), await wait(NOW + SECOND, 3)]).toEqual([59, 0]);
    expect(await wait(NOW + 60 * SECOND - 1)).toBe(1);
    expect(await wait(NOW + 60 * SECOND)).toBe(0);
    expect(await limits.secondsToWait('b', 2, 60, NOW)).toBe(0);
  });

  test('failed attempts from before the clock was set back do not count', async () => {
    const { limits } = memoryStore().its;
    const later = NOW + 3_600 * SECOND;
    await limits.countFailure('a', 60, later);
    expect(await limits.secondsToWait('a', 1, 60, NOW)).toBe(0);
    expect(await limits.countFailure('a', 60, NOW)).toEqual({ count: 1, seconds: 60 });
    expect(await limits.secondsToWait('a', 1, 60, NOW)).toBe(60);
  });

  test('failed attempts expire at the end of the window', async () => {
    const { its, table } = memoryStore();
    await its.limits.countFailure('a', 60, NOW + 1);
    expect(await table.get(rateKey('a', 'tries'))).toMatchObject({ start: NOW + 1, ttl: NOW / 1_000 + 61 });
    await its.limits.countWithin('b', 1, 60, NOW + 1);
    expect(await table.get(rateKey('b', 'tries'))).toMatchObject({ start: NOW + 1, ttl: NOW / 1_000 + 61 });
    await its.limits.take('c', 1, 60, NOW + 1);
    expect(await table.get(rateKey('c', 'taken'))).toMatchObject({ times: [NOW + 1], ttl: NOW / 1_000 + 61 });
  });

  test('simultaneous failed attempts are all counted', async () => {
    const { limits } = memoryStore().its;
    const counts = await Promise.all(Array.from({ length: 5 }, () => limits.countFailure('a', 60, NOW)));
    expect(counts.map(({ count }) => count).sort()).toEqual([1, 2, 3, 4, 5]);
  });
});

test('attempts above a limit are rejected without being counted', async () => {
  const { limits } = memoryStore().its;
  const count = (now: number, limit = 2) => limits.countWithin('a', limit, 60, now);
  expect([await count(NOW), await count(NOW + SECOND), await count(NOW + SECOND)]).toEqual([1, 2, null]);
  expect(await count(NOW + SECOND, 3)).toBe(3);
  expect(await count(NOW + 60 * SECOND - 1)).toBeNull();
  expect(await count(NOW + 60 * SECOND)).toBe(1);
  expect(await limits.countWithin('b', 2, 60, NOW)).toBe(1);
});

test('a limit of 0 rejects all attempts', async () => {
  const { limits } = memoryStore().its;
  expect(await limits.countWithin('a', 0, 60, NOW)).toBeNull();
  expect(await limits.countWithin('a', 1, 60, NOW)).toBe(1);
});

test('simultaneous attempts never exceed the limit', async () => {
  const { limits } = memoryStore().its;
  const counts = await Promise.all(Array.from({ length: 8 }, () => limits.countWithin('a', 3, 60, NOW)));
  expect(counts.filter((number) => number !== null).sort()).toEqual([1, 2, 3]);
});

test('attempts are counted from zero if the clock was set back', async () => {
  const { limits } = memoryStore().its;
  await limits.countWithin('a', 1, 60, NOW + 3_600 * SECOND);
  expect(await limits.countWithin('a', 1, 60, NOW)).toBe(1);
  expect(await limits.countWithin('a', 1, 60, NOW)).toBeNull();
});

test('a sliding window allows attempts up to the limit, until older ones leave the window', async () => {
  const { limits } = memoryStore().its;
  const take = (now: number) => limits.take('a', 2, 60, now);
  const mayTake = (now: number) => limits.mayTake('a', 2, 60, now);
  expect([await mayTake(NOW), await take(NOW)]).toEqual([true, true]);
  expect([await mayTake(NOW + 30 * SECOND), await take(NOW + 30 * SECOND)]).toEqual([true, true]);
  const early = NOW + 60 * SECOND - 1;
  expect([await mayTake(early), await take(early)]).toEqual([false, false]);
  const late = NOW + 60 * SECOND;
  expect([await mayTake(late), await take(late), await mayTake(late), await take(late)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(await limits.take('b', 2, 60, NOW)).toBe(true);
});

test('a sliding window takes back only attempts that it counted', async () => {
  const { limits } = memoryStore().its;
  await limits.giveBack('a', NOW);
  await limits.take('a', 2, 60, NOW);
  await limits.take('a', 2, 60, NOW + 1);
  await limits.giveBack('a', NOW + 2);
  expect(await limits.mayTake('a', 2, 60, NOW + 2)).toBe(false);
  await limits.giveBack('a', NOW);
  expect(await limits.mayTake('a', 2, 60, NOW + 2)).toBe(true);
  await limits.take('a', 2, 60, NOW + 2);
  expect(await limits.mayTake('a', 2, 60, NOW + 60 * SECOND)).toBe(false);
  expect(await limits.mayTake('a', 2, 60, NOW + 60 * SECOND + 1)).toBe(true);
});

test('a sliding window never exceeds the limit, even for simultaneous attempts', async () => {
  const { limits } = memoryStore().its;
  const taken = await Promise.all(Array.from({ length: 6 }, (_, at) => limits.take('a', 4, 60, NOW + at)));
  expect(taken.filter(Boolean)).toHaveLength(4);
});

test('a sliding window ignores attempts from before the clock was set back', async () => {
  const { limits } = memoryStore().its;
  await limits.take('a', 1, 60, NOW + 3_600 * SECOND);
  expect(await limits.mayTake('a', 1, 60, NOW)).toBe(true);
  expect([await limits.take('a', 1, 60, NOW), await limits.take('a', 1, 60, NOW)]).toEqual([true, false]);
});

test('a sliding window counts an attempt made while another is taken back', async () => {
  const { before, once } = interference();
  const { limits } = memoryStore(before).its;
  await limits.take('a', 2, 60, NOW);
  once('PutCommand', () => limits.take('a', 2, 60, NOW + 1));
  await limits.giveBack('a', NOW);
  expect(await limits.mayTake('a', 2, 60, NOW + 1)).toBe(false);
});

test('sequence numbers start at 1 and are unique', async () => {
  const { limits } = memoryStore().its;
  const numbers = await Promise.all(Array.from({ length: 4 }, () => limits.nextNumber('rules')));
  expect(numbers.sort()).toEqual([1, 2, 3, 4]);
  expect(await limits.nextNumber('groups')).toBe(1);
});
