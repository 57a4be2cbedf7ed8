/** How many items are processed at the same time. */
const BATCH = 10;

/** Calls `act` for each item, with a bounded number of calls at the same time, and gives the number of items. */
export const inBatches = async <T>(all: readonly T[], act: (item: T) => Promise<unknown>): Promise<number> => {
  for (let at = 0; at < all.length; at += BATCH) await Promise.all(all.slice(at, at + BATCH).map(act));
  return all.length;
};
