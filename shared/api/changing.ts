/** What a pause of chance is made with. */
export type Chance = { pause: (ms: number) => Promise<void>; random: (bytes: number) => Uint8Array };
type Fail = (code: 'unavailable', details: { waitSeconds: number }) => never;

/** How often a change is judged anew because somebody else changed the same. */
const ATTEMPTS = 25;
/** ms. The pauses in between grow up to this. */
const LONGEST_PAUSE = 200;

/**
 * Makes a change that was judged by what was read: `act` reads, judges and writes, and gives null when somebody was
 * faster, so that what it judged by is no longer true. It is done again then, and ends as 503.
 */
export const judgedAnew = async <T extends object>(
  act: () => Promise<T | null>,
  { pause, random }: Chance,
  fail: Fail,
): Promise<T> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const done = await act();
    if (done) return done;
    await pause(((random(1)[0] ?? 0) / 255) * Math.min(LONGEST_PAUSE, 5 * 2 ** attempt));
  }
  return fail('unavailable', { waitSeconds: 1 });
};

/** How many are worked on at the same time. */
const BATCH = 10;

/** Acts on each, a bounded number at the same time; how many there were. */
export const inBatches = async <T>(all: readonly T[], act: (one: T) => Promise<unknown>): Promise<number> => {
  for (let at = 0; at < all.length; at += BATCH) await Promise.all(all.slice(at, at + BATCH).map(act));
  return all.length;
};
