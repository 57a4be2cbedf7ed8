/** The number of items processed at once. */
const BATCH = 10;

/** Calls `act` for each item, with a bounded number of concurrent calls, and returns the number of items. */
export const inBatches = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<number> => {
  for (let at = 0; at < items.length; at += BATCH) await Promise.all(items.slice(at, at + BATCH).map(act));
  return items.length;
};
