import { type Machine, machine } from './machine.ts';

type RetryOptions = {
  attempts: number;
  /** No attempt begins after this time (ms). */
  maxMs: number;
  /**
   * The longest pause (ms) after this many attempts. The actual pause is random, from 0 to this value (full jitter).
   */
  maxPause: (attempt: number) => number;
};

/**
 * Retries until an attempt returns something other than null, and returns that result. Returns null when no attempts or
 * time are left. An attempt that throws is the last one.
 */
export const retry = async <T>(
  attempt: () => Promise<T | null>,
  { attempts, maxMs, maxPause }: RetryOptions,
  { sleep, elapsed, random }: Pick<Machine, 'sleep' | 'elapsed' | 'random'> = machine,
): Promise<T | null> => {
  const end = elapsed() + maxMs;
  for (let made = 1; ; made++) {
    const result = await attempt();
    if (result !== null) return result;
    if (made >= attempts || elapsed() >= end) return null;
    await sleep(random() * maxPause(made));
  }
};
