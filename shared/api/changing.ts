import { machine } from '../concurrency/machine.ts';
import { retry } from '../concurrency/retry.ts';

/** The functions that a random pause needs. */
export type RetryDeps = { pause: (ms: number) => Promise<void>; random: (bytes: number) => Uint8Array };
type Fail = (code: 'unavailable', details: { waitSeconds: number }) => never;

/** How often a change is attempted while other changes of the same object conflict with it, and for how long (ms). */
const ATTEMPTS = 25;
const LONGEST = 10_000;

/**
 * Makes a change that depends on what was read. `act` reads, decides and writes; it resolves to null if another change
 * came in between, so that its decision is outdated. Then `act` is called again. After too many conflicts the call ends
 * with a 503.
 */
export const retryOnConflict = async <T extends object>(
  act: () => Promise<T | null>,
  { pause, random }: RetryDeps,
  fail: Fail,
): Promise<T> => {
  const options = {
    attempts: ATTEMPTS,
    forMs: LONGEST,
    longestPause: (made: number) => Math.min(200, 5 * 2 ** (made - 1)),
  };
  const host = { sleep: pause, elapsed: machine.elapsed, random: () => (random(1)[0] ?? 0) / 255 };
  return (await retry(act, options, host)) ?? fail('unavailable', { waitSeconds: 1 });
};
