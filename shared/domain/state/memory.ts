/** The `most` that are remembered: forgotten is what is worth least, the oldest of it first, and never the newest. */
export const remembered = <T>(all: readonly T[], most: number, worth: (one: T) => number): T[] => {
  const byWorth = all.slice(0, -1).toSorted((one, other) => worth(one) - worth(other));
  const forgotten = byWorth.slice(0, Math.max(0, all.length - most));
  return all.filter((one) => !forgotten.includes(one));
};
