import type { Random } from '#lib/local/random.ts';

/** Picks one of some values at random. */
export const oneOf = <T>(chance: Random, all: readonly [T, ...T[]]): T =>
  all[Math.floor(chance() * all.length)] ?? all[0];
