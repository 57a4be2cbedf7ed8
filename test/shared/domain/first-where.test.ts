import { expect, test } from 'vitest';
import { firstWhere } from '#shared/domain/first-where.ts';

test('firstWhere returns the first match, or the end if there is none', async () => {
  for (let first = 3; first <= 12; first++)
    expect([first, await firstWhere(3, 12, async (position) => position >= first)]).toEqual([first, first]);
  expect(await firstWhere(3, 3, () => expect.unreachable())).toBe(3);
});

test('firstWhere tests only as many positions as a binary search needs', async () => {
  const tested: number[] = [];
  await firstWhere(0, 1_000, async (position) => tested.push(position) > 0 && position >= 700);
  expect(tested.length).toBeLessThanOrEqual(10);
});
