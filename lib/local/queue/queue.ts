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
  /** Messages neither in flight nor delayed. */
  visible: number;
  inFlight: number;
  delayed: number;
  /** Visible FIFO queue messages that are blocked by an in-flight message in the same group. */
  blocked: number;
  /** When (ms) the next delayed or in-flight message becomes visible. Infinity if there is none. */
  nextVisibleAt: number;
};

/**
 * An SQS queue in this process, with at-least-once delivery and fairness between groups. A standard queue guarantees no
 * order. A FIFO queue delivers a group's messages in the order they were sent, and delivers none while one of them is
 * in flight. A message that becomes visible again is still first in its group.
 */
export type Queue = {
  readonly name: string;
  readonly isFifo: boolean;
  /** Sends a message. It can be received once the journal has accepted it. Throws if SQS would reject it. */
  send(message: Outgoing): void;
  /** Resolves once all sent messages can be received. Rejects if one from this event loop turn was refused. */
  whenAccepted(): Promise<void>;
  /**
   * Returns up to `max` visible messages without waiting. Groups with the fewest messages in flight come first, and
   * groups tied for the fewest take turns. Groups for which `isFull` is true are skipped.
   */
  receive(max: number, isFull?: IsFull): Message[];
  /**
   * Resolves as soon as a message can be received under the conditions of the last receive, or when `signal` aborts.
   */
  waitForMessage(signal?: AbortSignal): Promise<void>;
  /** Deletes a message. Does nothing for an outdated receipt handle or, in a FIFO queue, for an expired one. */
  remove(receiptHandle: string): void;
  /** Shows a message again in `seconds` (0 to 43,200). Throws if no message with this handle is in flight. */
  changeVisibility(receiptHandle: string, seconds: number): void;
  stats(): Stats;
  /**
   * Returns how many groups have a message to receive now, and how many messages in one group are visible or blocked by
   * one in flight.
   */
  backlog(groupId: string): { groups: number; ofGroup: number };
  /**
   * Returns when (ms) the oldest pending message was sent, or null if there is none. Delayed messages do not count. If
   * `below` is given, neither do messages received at least `below` times.
   */
  waitingSince(below?: number): number | null;
  purge(): void;
  /**
   * Moves all messages from the dead-letter queue back to the end of this queue, in order, as if never received.
   * Returns the number moved.
   */
  redrive(): number;
  /** Moves all messages not in flight to another queue, in order. Returns the number moved. */
  moveTo(target: Queue): number;
};

/** The source a poller receives messages from: an in-process queue, or one at an SQS endpoint. */
export type MessageSource = Pick<Queue, 'name' | 'receive' | 'waitForMessage'> & {
  remove(receiptHandle: string): void | Promise<void>;
  changeVisibility(receiptHandle: string, seconds: number): void | Promise<void>;
  stats(): { visible: number; blocked?: number };
};

export type QueueOptions = Receiving & {
  name: string;
  /** The dead-letter queue, of the same type (standard or FIFO). */
  deadLetterQueue?: Queue;
  /** The queue starts with the journal's messages and stores every change in the journal. */
  journal?: Journal;
};

const neverFull: IsFull = () => false;

/** Creates a queue with the messages in its journal. */
export const createQueue = (options: QueueOptions): Queue => {
  const { name, fifo: isFifo = false, deadLetterQueue, journal = noJournal(), clock, newId = randomUUID } = options;
  if (deadLetterQueue && deadLetterQueue.isFifo !== isFifo)
    throw new Error(`the queue ${name} and its dead-letter queue are not of the same kind`);
  const contents = createContents(isFifo, journal, clock);
  const deduplication = createDeduplication(clock);
  let lastIsFull = neverFull;
  const wakeup = createWakeup(clock, () => dueAt(contents.upToDate(), lastIsFull));
  const inFlight = createInFlight(options, contents);

  const queue: Queue = {
    name,
    isFifo,
    whenAccepted: journal.settled,
    waitForMessage: wakeup.wait,
    send(message) {
      check(message, isFifo);
      const { groupId = '', deduplicationId, redriven } = message;
      const isNew = deduplicationId !== undefined && !redriven;
      if (isNew && deduplication.isRepeated(groupId, deduplicationId)) return;
      if (isNew) deduplication.remember(groupId, deduplicationId);
      const stored = contents.add(rowOf(message, journal.nextSequence(), clock.now(), newId));
      // If the message could not be stored, sending it again is not a duplicate.
      if (stored) stored.then(wakeup.check, () => deduplication.forget(groupId, deduplicationId));
      else wakeup.check();
    },
    receive(max, isFull = neverFull) {
      lastIsFull = isFull;
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
    redrive: () => deadLetterQueue?.moveTo(queue) ?? 0,
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
