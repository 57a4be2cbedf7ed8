import { type Random, randomFrom } from '#lib/local/random.ts';
import type { Rates } from './fault.ts';

/**
 * Creates the generator that decides at random whether a fault in `rates` occurs. The same seed leads to the same
 * decisions.
 */
export const createChaos = () => {
  let rates: Rates = {};
  let chance: Random = randomFrom(1);
  let lagChance: Random = randomFrom(1);
  let injected = 0;
  let skew = 0;
  return {
    rates: () => rates,
    chance: () => chance(),
    /** Returns a number from a separate generator, so that reads do not influence the other faults. */
    lagChance: () => lagChance(),
    /** Decides whether a fault with this rate occurs now. After `max` faults, there are none until the next run. */
    strikes: (rate = 0, max = Number.POSITIVE_INFINITY): boolean => {
      const hit = rate > 0 && injected < max && chance() < rate;
      if (hit) injected += 1;
      return hit;
    },
    /** Counts a fault injected by other code. */
    note: (): void => {
      injected += 1;
    },
    /** Returns how far (ms) the host's clock is off. */
    skew: () => skew,
    jump: (ms: number): void => {
      injected += 1;
      skew = ms;
    },
    begin: (ofFault: Rates, seed: number): void => {
      rates = ofFault;
      chance = randomFrom(seed);
      lagChance = randomFrom(seed + 2);
      injected = 0;
    },
    /** Adds faults, or replaces their rates. */
    also: (more: Rates): void => {
      rates = { ...rates, ...more };
    },
    /** Ends all faults. Returns how many were injected. */
    heal: (): number => {
      rates = {};
      skew = 0;
      return injected;
    },
  };
};
export type Chaos = ReturnType<typeof createChaos>;
