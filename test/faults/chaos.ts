import { type Random, randomFrom } from '../../lib/local/random.ts';
import type { Rates } from './fault.ts';

/** Lets happen what `rates` say, as long as they say so; the same for the same seed. */
export const createChaos = () => {
  let rates: Rates = {};
  let chance: Random = randomFrom(1);
  let lagChance: Random = randomFrom(1);
  let injected = 0;
  let skew = 0;
  return {
    rates: () => rates,
    chance: () => chance(),
    /** Chance of its own, so that reads draw nothing away from what else happens. */
    draw: () => lagChance(),
    strikes: (rate = 0): boolean => {
      const hit = rate > 0 && chance() < rate;
      if (hit) injected += 1;
      return hit;
    },
    /** Counts trouble that somebody else makes. */
    note: (): void => {
      injected += 1;
    },
    /** How far (ms) the clock of the host is off. */
    skew: () => skew,
    jump: (ms: number): void => {
      injected += 1;
      skew = ms;
    },
    begin: (what: Rates, seed: number): void => {
      rates = what;
      chance = randomFrom(seed);
      lagChance = randomFrom(seed + 2);
      injected = 0;
    },
    /** From now on this goes wrong besides, or instead. */
    also: (more: Rates): void => {
      rates = { ...rates, ...more };
    },
    /** Ends all trouble; how often there was some. */
    heal: (): number => {
      rates = {};
      skew = 0;
      return injected;
    },
  };
};
export type Chaos = ReturnType<typeof createChaos>;
