import type { Clock } from '../clock.ts';
import type { Storage } from './storage.ts';

const EVERY_MS = 60_000;
/** How long (s) expired items are kept, in case the clock is set back. AWS removes them within a few days. */
const KEPT_SECONDS = 3_600;
/** The number of items removed in one turn, which blocks the event loop for a few milliseconds. */
const BATCH_SIZE = 200;

/**
 * Removes expired items after a while, so the file does not grow forever. The store never returns them anyway. Returns
 * a function that stops the removal.
 */
export const removeExpired = ({ rows, turns }: Pick<Storage, 'rows' | 'turns'>, clock: Clock): (() => void) => {
  let stopped = false;
  const run = async (): Promise<void> => {
    const before = Math.floor(clock.now() / 1_000) - KEPT_SECONDS;
    let removed = BATCH_SIZE;
    while (!stopped && removed === BATCH_SIZE)
      removed = await turns.write(() => rows.removeExpired(before, BATCH_SIZE));
  };
  const tick = (): void => {
    cancel = clock.after(EVERY_MS, tick);
    // If the table cannot be written, callers and GET /health report it.
    run().catch(() => {});
  };
  let cancel = clock.after(EVERY_MS, tick);
  return () => {
    stopped = true;
    cancel();
  };
};
