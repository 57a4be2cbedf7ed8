import type { Clock } from './clock.ts';
import { asRedriven, type Entry, entryOf } from './entry.ts';
import type { Journal, Row } from './journal.ts';
import type { Queue } from './queue.ts';
import { add, createTurns, hide, remove, showDue, type Turns } from './turns.ts';

/** What a queue holds: in memory for whoever receives, in the journal for the next process. */
export const createHolding = (isFifo: boolean, journal: Journal, clock: Clock) => {
  const entries = new Map<number, Entry>();
  const received = new Map<string, Entry>();
  const turns = createTurns(isFifo);
  const keep = (row: Row): void => {
    const entry = entryOf(row, clock.now());
    entries.set(entry.sequence, entry);
    add(turns, entry);
    if (entry.visibleAt > clock.now()) hide(turns, entry);
  };
  const drop = (entry: Entry): void => {
    entries.delete(entry.sequence);
    received.delete(entry.receiptHandle);
    remove(turns, entry);
  };
  for (const row of journal.load()) keep(row);
  return {
    turns,
    /** By receipt handle: what was received, in flight or visible again. */
    received,
    /** The turns as they are at this time. */
    upToDate: (): Turns => {
      showDue(turns, clock.now());
      return turns;
    },
    /** In the order of sending. */
    all: () => [...entries.values()],
    add: (row: Row): void => {
      journal.add(row);
      keep(row);
    },
    remove: (entry: Entry): void => {
      drop(entry);
      journal.remove(entry.sequence);
    },
    /** First into the other queue: between the two a process may die, or the other refuse. */
    move: (moved: readonly Entry[], target: Queue): void => {
      journal.together(() => {
        for (const entry of moved) {
          target.send(asRedriven(entry));
          journal.remove(entry.sequence);
        }
      });
      for (const entry of moved) drop(entry);
    },
    clear: (): void => {
      for (const entry of entries.values()) drop(entry);
      journal.clear();
    },
  };
};
export type Holding = ReturnType<typeof createHolding>;
