import { describe, expect, test } from 'vitest';
import type { Machine } from '#shared/concurrency/machine.ts';
import { retry } from '#shared/concurrency/retry.ts';

/** A machine whose time passes only in its pauses, and by `pass`. */
const standing = (random = 0.5) => {
  const pauses: number[] = [];
  let time = 0;
  const machine: Machine = {
    sleep: async (ms) => {
      pauses.push(ms);
      time += ms;
    },
    after: () => () => {},
    elapsed: () => time,
    random: () => random,
  };
  const pass = (ms: number) => {
    time += ms;
  };
  return { machine, pauses, pass };
};
const options = { attempts: 4, forMs: 1_000, longestPause: (made: number) => 10 * made };

describe('what is tried again', () => {
  test('gives the first result, after a part of the longest pause for each attempt before it', async () => {
    const { machine, pauses } = standing(0.5);
    const results = [null, null, 'done'];
    expect(await retry(async () => results.shift() ?? null, options, machine)).toBe('done');
    expect(pauses).toEqual([5, 10]);
  });

  test('is given up after so many attempts', async () => {
    const { machine, pauses } = standing();
    expect(await retry(async () => null, options, machine)).toBeNull();
    expect(pauses).toHaveLength(3);
  });

  test('has an end, however slowly it fails', async () => {
    const { machine, pass } = standing(0);
    let attempts = 0;
    const slow = async () => {
      attempts += 1;
      pass(600);
      return null;
    };
    expect(await retry(slow, options, machine)).toBeNull();
    expect(attempts).toBe(2);
  });

  test('is not tried again when it throws', async () => {
    const { machine, pauses } = standing();
    const broken = async () => Promise.reject(new Error('broken'));
    await expect(retry(broken, options, machine)).rejects.toThrow('broken');
    expect(pauses).toEqual([]);
  });
});
