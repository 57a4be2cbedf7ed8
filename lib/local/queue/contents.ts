import { type Clock, setBackOf } from '../clock.ts';
import type { Outgoing } from '../message.ts';
import { asRedriven, type Entry, entryOf } from './entry.ts';
import { add, createFairOrder, type FairOrder, hide, remove, showDue } from './fair-order.ts';
import type { Journal, Row, Stored } from './journal.ts';

/** The queue that receives messages moved out of another. */
export type MoveTarget = { send(message: Outgoing): void };

/** A queue's messages: in memory for receivers, and in the journal for the next process. */
export const createContents = (isFifo: boolean, journal: Journal, clock: Clock) => {
  const entries = new Map<number, Entry>();
  const received = new Map<string, Entry>();
  const order = createFairOrder(isFifo);
  const setBack = setBackOf(clock);
  /** Preserves delays when this host's clock is set back. As in SQS, delays do not depend on the clock. */
  const followClock = (): void => {
    const by = setBack();
    if (by > 0) for (const entry of order.hidden.items) entry.visibleAt -= by;
  };
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
    /** The received messages by their latest receipt handle. */
    received,
    /** Returns the order after making all due messages visible. */
    upToDate: (): FairOrder => {
      followClock();
      showDue(order, clock.now());
      return order;
    },
    /**
     * Returns when (ms) the oldest pending message was sent, or null if there is none. Delayed messages and those
     * received at least `below` times do not count.
     */
    waitingSince: (below = Number.POSITIVE_INFINITY): number | null => {
      for (const { sentAt, isHidden, receiveCount } of entries.values())
        if ((!isHidden || receiveCount > 0) && receiveCount < below) return sentAt;
      return null;
    },
    /** Returns all messages in the order they were sent. */
    all: () => [...entries.values()],
    /** Adds a message. It can be received once the journal has accepted it. */
    add: (row: Row): Stored => {
      followClock();
      const stored = journal.add(row)?.then(() => keep(row));
      if (!stored) keep(row);
      return stored;
    },
    remove: (entry: Entry): void => {
      drop(entry);
      // If the removal is not stored, the message is delivered again after a restart.
      journal.remove(entry.sequence)?.catch(() => {});
    },
    /** Moves messages to another queue. The additions and removals are stored together or not at all. */
    move: (moved: readonly Entry[], target: MoveTarget): void => {
      for (const entry of moved) {
        target.send(asRedriven(entry));
        drop(entry);
        journal.remove(entry.sequence)?.catch(() => keep(entry));
      }
    },
    clear: (): void => {
      for (const entry of entries.values()) drop(entry);
      // If the journal breaks, the host exits (commits.ts). If the journal only refuses the change, the messages return
      // after a restart.
      journal.clear()?.catch(() => {});
    },
  };
};
export type QueueContents = ReturnType<typeof createContents>;
