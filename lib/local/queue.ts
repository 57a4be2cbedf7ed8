import { randomUUID } from 'node:crypto';
import { type Clock, createWakeup } from './clock.ts';
import { createDeduplication } from './deduplication.ts';
import { check, rowOf } from './entry.ts';
import { createHands } from './hands.ts';
import { createHolding } from './holding.ts';
import { type Journal, noJournal } from './journal.ts';
import { blockedIn, dueAt, type IsFull, isFree, nextVisibleAt, type Turns } from './turns.ts';

/** A message as one receive hands it out. All attributes are text, as in SQS; times are milliseconds since the epoch. */
export type Message = {
  messageId: string;
  /** New for each receive; an older one no longer removes. */
  receiptHandle: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    SentTimestamp: string;
    ApproximateFirstReceiveTimestamp: string;
    MessageGroupId?: string;
    /** The next two in a FIFO queue alone: 20 digits, growing from message to message, also over restarts. */
    SequenceNumber?: string;
    MessageDeduplicationId?: string;
  };
};

export type Outgoing = {
  /** At most 1 MiB of UTF-8. */
  body: string;
  /** 0 to 900; nothing but 0 in a FIFO queue. */
  delaySeconds?: number;
  /** For fairness, and in a FIFO queue, which needs it, for order; a message without one is a tenant of its own. */
  groupId?: string;
  /** A FIFO queue needs it, others refuse it. What its group was sent in the last five minutes is dropped. */
  deduplicationId?: string;
  /** Set by moves to and from a dead-letter queue: a message keeps its id and the time at which it was first sent. */
  redriven?: { messageId: string; sentAt: number };
};

export type Stats = {
  /** Neither in flight nor delayed. */
  visible: number;
  inFlight: number;
  delayed: number;
  /** Those of the visible that nobody gets now: in a FIFO queue, another one of their group is in flight. */
  blocked: number;
  /** When the next one in flight or delayed becomes visible; Infinity: there is none. */
  nextVisibleAt: number;
};

/**
 * A queue of SQS in this process, at least once and fair between groups. A standard queue is in no promised order. A FIFO
 * queue hands out each group in the order of sending, and nothing of a group while some of it is in flight: what becomes
 * visible again is still the first of its group.
 */
export type Queue = {
  readonly name: string;
  readonly isFifo: boolean;
  /** Throws when SQS would refuse the message, or when it can't be written down. */
  send(message: Outgoing): void;
  /**
   * Up to `max` visible messages, at once: groups with the fewest in flight first, equals in turn; none of a group that
   * the receiver has enough of.
   */
  receive(max: number, isFull?: IsFull): Message[];
  /** Resolves as soon as something can be received, as the last receive would, or when `signal` aborts. */
  waitForMessage(signal?: AbortSignal): Promise<void>;
  /** Deletes for good; an outdated receipt handle does nothing, nor one of a FIFO queue whose time is over. */
  remove(receiptHandle: string): void;
  /** Visible again `seconds` (0 to 43,200) from now. Throws when the message isn't in flight under this handle. */
  changeVisibility(receiptHandle: string, seconds: number): void;
  stats(): Stats;
  /** Groups that have something to give now, and messages of one group that are visible or wait for one in flight. */
  backlog(groupId: string): { groups: number; ofGroup: number };
  purge(): void;
  /** Puts its dead letters back behind what waits, in their order, as if never received; tells how many. */
  redrive(): number;
  /** Moves what nobody has to another queue, in order; tells how much that was. */
  moveTo(target: Queue): number;
};

/** Where a poller takes messages from, and tells what is done: such a queue, or one that is elsewhere. */
export type MessageSource = Pick<Queue, 'name' | 'receive' | 'waitForMessage'> & {
  remove(receiptHandle: string): void | Promise<void>;
  changeVisibility(receiptHandle: string, seconds: number): void | Promise<void>;
  stats(): { visible: number; blocked?: number };
};

export type QueueOptions = {
  name: string;
  fifo?: true;
  /** How long a received message stays hidden unless it is removed. */
  visibilitySeconds: number;
  /** Receives after which the next one moves the message to `deadLetter` instead. No effect without `deadLetter`. */
  maxReceiveCount: number;
  /** Of the same kind. */
  deadLetter?: Queue;
  /** Starts with what is in it, and keeps it up to date. */
  journal?: Journal;
  clock: Clock;
  newId?: () => string;
};

const none: IsFull = () => false;

/** Makes a queue that is empty but for what its journal has. */
export const createQueue = (options: QueueOptions): Queue => {
  const { name, fifo: isFifo = false, deadLetter, journal = noJournal(), clock, newId = randomUUID } = options;
  if (deadLetter && deadLetter.isFifo !== isFifo)
    throw new Error(`the queue ${name} and its dead-letter queue are not of the same kind`);
  const holding = createHolding(isFifo, journal, clock);
  const { turns } = holding;
  const repeated = createDeduplication(clock);
  let skips = none;
  const wakeup = createWakeup(clock, () => dueAt(holding.upToDate(), skips));
  const hands = createHands(options, holding);

  const queue: Queue = {
    name,
    isFifo,
    send(message) {
      check(message, isFifo);
      const { groupId = '', deduplicationId, redriven } = message;
      const isNew = deduplicationId !== undefined && !redriven;
      if (isNew && repeated.isRepeated(groupId, deduplicationId)) return;
      holding.add(rowOf(message, journal.nextSequence(), clock.now(), newId));
      if (isNew) repeated.remember(groupId, deduplicationId);
      wakeup.check();
    },
    receive(max, isFull = none) {
      skips = isFull;
      return hands.receive(max, isFull);
    },
    waitForMessage: wakeup.wait,
    remove(receiptHandle) {
      hands.remove(receiptHandle);
      wakeup.check();
    },
    changeVisibility(receiptHandle, seconds) {
      hands.changeVisibility(receiptHandle, seconds);
      wakeup.check();
    },
    stats: () => statsOf(holding.upToDate()),
    backlog: (groupId) => backlogOf(holding.upToDate(), groupId),
    purge: holding.clear,
    redrive: () => deadLetter?.moveTo(queue) ?? 0,
    moveTo(target) {
      holding.upToDate();
      const free = holding.all().filter((entry) => isFree(turns, entry));
      holding.move(free, target);
      return free.length;
    },
  };
  return queue;
};

const statsOf = (turns: Turns): Stats => {
  const { size, hidden, inFlight } = turns;
  const counts = { visible: size - hidden.items.length, inFlight, delayed: hidden.items.length - inFlight };
  return { ...counts, blocked: blockedIn(turns), nextVisibleAt: nextVisibleAt(turns) };
};

const backlogOf = ({ ready, groups }: Turns, groupId: string) => ({
  groups: ready.items.length,
  ofGroup: groups.get(groupId)?.waiting.items.length ?? 0,
});
