import type { Random } from '../../lib/local/random.ts';

/** One of some, by chance. */
export const oneOf = <T>(chance: Random, all: readonly [T, ...T[]]): T =>
  all[Math.floor(chance() * all.length)] ?? all[0];
