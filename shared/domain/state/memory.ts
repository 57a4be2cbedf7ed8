/**
 * Gives the `most` items to remember. Items of the lowest worth are removed first, the oldest of these first, and never
 * the newest item.
 */
export const remembered = <T>(all: readonly T[], most: number, worth: (one: T) => number): T[] => {
  const byWorth = all.slice(0, -1).toSorted((one, other) => worth(one) - worth(other));
  const forgotten = byWorth.slice(0, Math.max(0, all.length - most));
  return all.filter((one) => !forgotten.includes(one));
};
