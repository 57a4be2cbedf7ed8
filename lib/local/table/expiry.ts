import type { Clock } from '../clock.ts';
import type { Storage } from './storage.ts';

const EVERY_MS = 60_000;
/** AWS removes expired items within a few days, and nobody may count on either. An hour leaves room for a clock that is set. */
const KEPT_SECONDS = 3_600;
/** So many items of a turn hold up the event loop for some milliseconds. */
const AT_A_TIME = 200;

/**
 * Removes items some time after they expired, so that the file does not grow for ever: reads never see them, for the store
 * filters by time. Gives a function that ends it.
 */
export const removeExpired = ({ rows, turns }: Pick<Storage, 'rows' | 'turns'>, clock: Clock): (() => void) => {
  let stopped = false;
  const run = async (): Promise<void> => {
    const before = Math.floor(clock.now() / 1_000) - KEPT_SECONDS;
    let removed = AT_A_TIME;
    while (!stopped && removed === AT_A_TIME) removed = await turns.write(() => rows.removeExpired(before, AT_A_TIME));
  };
  const tick = (): void => {
    cancel = clock.after(EVERY_MS, tick);
    // A table that cannot be written says so to its callers, and in GET /health.
    run().catch(() => {});
  };
  let cancel = clock.after(EVERY_MS, tick);
  return () => {
    stopped = true;
    cancel();
  };
};
