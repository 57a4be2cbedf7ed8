/**
 * Gives the `most` items to remember. Items of the lowest worth are removed first, the oldest of these first, and never
 * the newest item.
 */
export const remembered = <T>(all: readonly T[], most: number, worth: (item: T) => number): T[] => {
  const byWorth = all.slice(0, -1).toSorted((item, other) => worth(item) - worth(other));
  const forgotten = byWorth.slice(0, Math.max(0, all.length - most));
  return all.filter((item) => !forgotten.includes(item));
};
