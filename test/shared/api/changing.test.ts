import { describe, expect, test } from 'vitest';
import { retryOnConflict } from '../../../shared/api/changing.ts';
import { inBatches } from '../../../shared/concurrency/in-batches.ts';

const fail = (code: string): never => {
  throw new Error(code);
};

describe('a change that is judged by what was read', () => {
  const scene = (lost: number) => {
    const pauses: number[] = [];
    const chance = { pause: async (ms: number) => void pauses.push(ms), random: () => Uint8Array.of(255) };
    let tries = 0;
    const act = async () => (++tries > lost ? { tries } : null);
    return { pauses, done: retryOnConflict(act, chance, fail) };
  };

  test('is judged again for as often as somebody was faster, after longer and longer pauses up to a limit', async () => {
    const { done, pauses } = scene(8);
    expect(await done).toEqual({ tries: 9 });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 200, 200]);
  });

  test('is unavailable after 25 times', async () => {
    const { done, pauses } = scene(25);
    await expect(done).rejects.toThrow('unavailable');
    // Nothing waits for an attempt that is not made.
    expect(pauses).toHaveLength(24);
  });
});

test('a batch is done before the next begins, and every one is done once', async () => {
  let running = 0;
  const most: number[] = [];
  const seen: number[] = [];
  const all = Array.from({ length: 25 }, (_, at) => at);
  const act = async (one: number) => {
    most.push(++running);
    await Promise.resolve();
    seen.push(one);
    running--;
  };
  expect([await inBatches(all, act), Math.max(...most), seen]).toEqual([25, 10, all]);
});
