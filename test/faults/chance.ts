/** A number in [0, 1) for each call, the same ones for the same seed (mulberry32). */
export const chanceOf = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
export type Chance = ReturnType<typeof chanceOf>;

/** One of some, by chance. */
export const oneOf = <T>(chance: Chance, all: readonly [T, ...T[]]): T =>
  all[Math.floor(chance() * all.length)] ?? all[0];
