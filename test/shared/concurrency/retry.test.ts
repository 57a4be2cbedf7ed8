import { describe, expect, test } from 'vitest';
import type { Machine } from '#shared/concurrency/machine.ts';
import { retry } from '#shared/concurrency/retry.ts';

/** Returns a machine whose time advances only by pauses and by `pass`. */
const manualMachine = (random = 0.5) => {
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
const options = { attempts: 4, maxMs: 1_000, maxPause: (made: number) => 10 * made };

describe('retry', () => {
  test('retry returns the first result, with a random pause before each further attempt', async () => {
    const { machine, pauses } = manualMachine(0.5);
    const results = [null, null, 'done'];
    expect(await retry(async () => results.shift() ?? null, options, machine)).toBe('done');
    expect(pauses).toEqual([5, 10]);
  });

  test('retry gives up after the maximum number of attempts', async () => {
    const { machine, pauses } = manualMachine();
    expect(await retry(async () => null, options, machine)).toBeNull();
    expect(pauses).toHaveLength(3);
  });

  test('retry gives up when time runs out, even if attempts are slow', async () => {
    const { machine, pass } = manualMachine(0);
    let attempts = 0;
    const slow = async () => {
      attempts += 1;
      pass(600);
      return null;
    };
    expect(await retry(slow, options, machine)).toBeNull();
    expect(attempts).toBe(2);
  });

  test('retry does not retry an attempt that throws', async () => {
    const { machine, pauses } = manualMachine();
    const broken = async () => Promise.reject(new Error('broken'));
    await expect(retry(broken, options, machine)).rejects.toThrow('broken');
    expect(pauses).toEqual([]);
  });
});
