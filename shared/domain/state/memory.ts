/**
 * Returns the items to remember, at most `max`. Items with the lowest worth are dropped first; among equals, the oldest
 * goes first. The newest item is never dropped.
 */
export const remembered = <T>(items: readonly T[], max: number, worth: (item: T) => number): T[] => {
  const byWorth = items.slice(0, -1).toSorted((item, other) => worth(item) - worth(other));
  const forgotten = byWorth.slice(0, Math.max(0, items.length - max));
  return items.filter((item) => !forgotten.includes(item));
};
