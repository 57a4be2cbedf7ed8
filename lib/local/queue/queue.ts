import { randomUUID } from 'node:crypto';
import { createWakeup } from '../clock.ts';
import type { Message, Outgoing } from '../message.ts';
import { createContents } from './contents.ts';
import { createDeduplication } from './deduplication.ts';
import { check, rowOf } from './entry.ts';
import { blockedIn, dueAt, type FairOrder, type IsFull, isFree, nextVisibleAt } from './fair-order.ts';
import { createInFlight, type Receiving } from './in-flight.ts';
import { type Journal, noJournal } from './journal.ts';

type Stats = {
  /** Messages that are neither in flight nor delayed. */
  visible: number;
  inFlight: number;
  delayed: number;
  /**
   * Visible messages that can't be received now, because in a FIFO queue another message of their group is in flight.
   */
  blocked: number;
  /** When (ms) the next message in flight or delayed becomes visible; Infinity when there is none. */
  nextVisibleAt: number;
};

/**
 * An SQS queue in this process, with at-least-once delivery and fairness between groups. A standard queue promises no
 * order. A FIFO queue gives each group in the order of sending, and nothing of a group while a message of it is in
 * flight: a message that becomes visible again is still the first of its group.
 */
export type Queue = {
  readonly name: string;
  readonly isFifo: boolean;
  /** Sends a message: it can be received once the journal has it. Throws when SQS would refuse it. */
  send(message: Outgoing): void;
  /** Resolves when what was sent is kept; rejects when what was sent in this turn of the event loop is not. */
  kept(): Promise<void>;
  /**
   * Gives up to `max` visible messages at once: of groups with the fewest in flight first, of equals in turn. Groups
   * for which `isFull` is true are left out.
   */
  receive(max: number, isFull?: IsFull): Message[];
  /**
   * Resolves as soon as a message can be received under the conditions of the last receive, or when `signal` aborts.
   */
  waitForMessage(signal?: AbortSignal): Promise<void>;
  /**
   * Deletes a message for good. Does nothing for an outdated receipt handle, and in a FIFO queue for an expired one.
   */
  remove(receiptHandle: string): void;
  /** Makes a message visible again in `seconds` (0 to 43,200). Throws when it isn't in flight under this handle. */
  changeVisibility(receiptHandle: string, seconds: number): void;
  stats(): Stats;
  /**
   * Gives the number of groups with a message to receive now, and the number of messages of one group that are
   * visible or blocked by one in flight.
   */
  backlog(groupId: string): { groups: number; ofGroup: number };
  /**
   * Since when (ms) the oldest message that is not delayed, and was received less than `below` times if that is given,
   * waits for its end; null when there is none.
   */
  waitingSince(below?: number): number | null;
  purge(): void;
  /**
   * Moves the messages of the dead-letter queue back behind those that wait, in order, as if never received. Gives
   * their number.
   */
  redrive(): number;
  /** Moves all messages that are not in flight to another queue, in order. Gives their number. */
  moveTo(target: Queue): number;
};

/** The source of messages of a poller: a queue of this process, or one at an SQS endpoint. */
export type MessageSource = Pick<Queue, 'name' | 'receive' | 'waitForMessage'> & {
  remove(receiptHandle: string): void | Promise<void>;
  changeVisibility(receiptHandle: string, seconds: number): void | Promise<void>;
  stats(): { visible: number; blocked?: number };
};

export type QueueOptions = Receiving & {
  name: string;
  /** The dead-letter queue, of the same kind (standard or FIFO). */
  deadLetter?: Queue;
  /** The queue starts with the messages of the journal, and keeps it up to date. */
  journal?: Journal;
};

const none: IsFull = () => false;

/** Creates a queue with the messages of its journal. */
export const createQueue = (options: QueueOptions): Queue => {
  const { name, fifo: isFifo = false, deadLetter, journal = noJournal(), clock, newId = randomUUID } = options;
  if (deadLetter && deadLetter.isFifo !== isFifo)
    throw new Error(`the queue ${name} and its dead-letter queue are not of the same kind`);
  const contents = createContents(isFifo, journal, clock);
  const repeated = createDeduplication(clock);
  let skips = none;
  const wakeup = createWakeup(clock, () => dueAt(contents.upToDate(), skips));
  const inFlight = createInFlight(options, contents);

  const queue: Queue = {
    name,
    isFifo,
    kept: journal.settled,
    waitForMessage: wakeup.wait,
    send(message) {
      check(message, isFifo);
      const { groupId = '', deduplicationId, redriven } = message;
      const isNew = deduplicationId !== undefined && !redriven;
      if (isNew && repeated.isRepeated(groupId, deduplicationId)) return;
      if (isNew) repeated.remember(groupId, deduplicationId);
      const kept = contents.add(rowOf(message, journal.nextSequence(), clock.now(), newId));
      // The next try of what was not kept is no repetition.
      if (kept) kept.then(wakeup.check, () => repeated.forget(groupId, deduplicationId));
      else wakeup.check();
    },
    receive(max, isFull = none) {
      skips = isFull;
      return inFlight.receive(max, isFull);
    },
    remove(receiptHandle) {
      inFlight.remove(receiptHandle);
      wakeup.check();
    },
    changeVisibility(receiptHandle, seconds) {
      inFlight.changeVisibility(receiptHandle, seconds);
      wakeup.check();
    },
    stats: () => statsOf(contents.upToDate()),
    backlog: (groupId) => backlogOf(contents.upToDate(), groupId),
    waitingSince: contents.waitingSince,
    purge: contents.clear,
    redrive: () => deadLetter?.moveTo(queue) ?? 0,
    moveTo(target) {
      const order = contents.upToDate();
      const free = contents.all().filter((entry) => isFree(order, entry));
      contents.move(free, target);
      return free.length;
    },
  };
  return queue;
};

const statsOf = (order: FairOrder): Stats => {
  const { size, hidden, inFlight } = order;
  return {
    visible: size - hidden.items.length,
    inFlight,
    delayed: hidden.items.length - inFlight,
    blocked: blockedIn(order),
    nextVisibleAt: nextVisibleAt(order),
  };
};

const backlogOf = ({ ready, groups }: FairOrder, groupId: string) => ({
  groups: ready.items.length,
  ofGroup: groups.get(groupId)?.waiting.items.length ?? 0,
});
