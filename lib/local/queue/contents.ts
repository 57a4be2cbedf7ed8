import type { Clock } from '../clock.ts';
import type { Outgoing } from '../message.ts';
import { asRedriven, type Entry, entryOf } from './entry.ts';
import { add, createFairOrder, type FairOrder, hide, remove, showDue } from './fair-order.ts';
import type { Journal, Kept, Row } from './journal.ts';

/** What takes the messages that leave a queue: another one. */
export type Target = { send(message: Outgoing): void };

/** The messages of a queue: in memory for receivers, and in the journal for the next process. */
export const createContents = (isFifo: boolean, journal: Journal, clock: Clock) => {
  const entries = new Map<number, Entry>();
  const received = new Map<string, Entry>();
  const order = createFairOrder(isFifo);
  const keep = (row: Row): void => {
    const entry = entryOf(row, clock.now());
    entries.set(entry.sequence, entry);
    add(order, entry);
    if (entry.visibleAt > clock.now()) hide(order, entry);
  };
  const drop = (entry: Entry): void => {
    entries.delete(entry.sequence);
    received.delete(entry.receiptHandle);
    remove(order, entry);
  };
  for (const row of journal.load()) keep(row);
  return {
    order,
    /** Messages that were received, by their last receipt handle. */
    received,
    /** Gives the order with the messages shown again that are due now. */
    upToDate: (): FairOrder => {
      showDue(order, clock.now());
      return order;
    },
    /**
     * Gives when (ms) the oldest message was sent that was not delayed, or has been received, but less than `below` times;
     * null: there is none.
     */
    waitingSince: (below = Number.POSITIVE_INFINITY): number | null => {
      for (const { sentAt, isHidden, receiveCount } of entries.values())
        if ((!isHidden || receiveCount > 0) && receiveCount < below) return sentAt;
      return null;
    },
    /** Gives all messages in the order of sending. */
    all: () => [...entries.values()],
    /** A message can be received once the journal has it: what is not kept must not be worked on as if it were. */
    add: (row: Row): Kept => {
      const kept = journal.add(row)?.then(() => keep(row));
      if (!kept) keep(row);
      return kept;
    },
    remove: (entry: Entry): void => {
      drop(entry);
      // When that is not kept, the message is delivered again after a restart.
      journal.remove(entry.sequence)?.catch(() => {});
    },
    /** Moves messages to another queue: both the new ones and the removals are kept, or neither. */
    move: (moved: readonly Entry[], target: Target): void => {
      for (const entry of moved) {
        target.send(asRedriven(entry));
        drop(entry);
        journal.remove(entry.sequence)?.catch(() => keep(entry));
      }
    },
    clear: (): void => {
      for (const entry of entries.values()) drop(entry);
      journal.clear();
    },
  };
};
export type QueueContents = ReturnType<typeof createContents>;
