import type { Random } from '#lib/local/random.ts';

/** Picks a value at random. */
export const oneOf = <T>(chance: Random, values: readonly [T, ...T[]]): T =>
  values[Math.floor(chance() * values.length)] ?? values[0];
