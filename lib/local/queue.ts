import { randomUUID } from 'node:crypto';
import { type Clock, createBell } from './clock.ts';

// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_BODY_BYTES = 1_048_576;

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
  };
};

export type Outgoing = {
  /** At most 1 MiB of UTF-8. */
  body: string;
  /** 0 to 900. */
  delaySeconds?: number;
  /** The tenant, for fairness; a message without one is a tenant of its own. */
  groupId?: string;
  /** Set by the redrive: a dead letter keeps its id and the time at which it was first sent. */
  redriven?: { messageId: string; sentAt: number };
};

/** A standard queue of SQS in this process: at least once, in no promised order, fair between groups. */
export type Queue = {
  readonly name: string;
  /** Throws when SQS would refuse the message. */
  send(message: Outgoing): void;
  /**
   * Up to `max` visible messages, at once: groups with the fewest in flight first, equals in turn; none of a group that
   * the receiver has enough of.
   */
  receive(max: number, isFull?: (groupId: string) => boolean): Message[];
  /** Resolves as soon as something can be received, as the last receive would, or when `signal` aborts. */
  waitForMessage(signal?: AbortSignal): Promise<void>;
  /** Deletes for good; an outdated receipt handle does nothing. */
  remove(receiptHandle: string): void;
  /** Visible again `seconds` (0 to 43,200) from now. Throws when the message isn't in flight under this handle. */
  changeVisibility(receiptHandle: string, seconds: number): void;
  stats(): { visible: number; inFlight: number; delayed: number };
  purge(): void;
};

/** Where a poller takes messages from, and tells what is done: such a queue, or one that is elsewhere. */
export type MessageSource = Pick<Queue, 'name' | 'receive' | 'waitForMessage'> & {
  remove(receiptHandle: string): void | Promise<void>;
  stats(): { visible: number };
};

export type QueueOptions = {
  name: string;
  /** How long a received message stays hidden unless it is removed. */
  visibilitySeconds: number;
  /** Receives after which the next one moves the message to `deadLetter` instead. No effect without `deadLetter`. */
  maxReceiveCount: number;
  deadLetter?: Queue;
  clock: Clock;
  newId?: () => string;
};

type Entry = {
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly sentAt: number;
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt: number;
  receiptHandle: string;
};

/** Makes an empty queue. */
export const createQueue = ({ name, deadLetter, clock, newId = randomUUID, ...limits }: QueueOptions): Queue => {
  const entries = new Map<string, Entry>();
  const held = new Map<string, Entry>();
  const inTurn = createTurns();
  let skips: IsFull = none;
  const bell = createBell(clock, () => earliest(entries.values(), skips));

  const handOut = (entry: Entry): Message[] => {
    held.delete(entry.receiptHandle);
    if (deadLetter && entry.receiveCount >= limits.maxReceiveCount) {
      entries.delete(entry.messageId);
      deadLetter.send(asDeadLetter(entry));
      return [];
    }
    take(entry, newId(), clock.now(), limits.visibilitySeconds);
    held.set(entry.receiptHandle, entry);
    return [asMessage(entry)];
  };

  return {
    name,
    send(message) {
      const entry = accept(message, clock.now(), newId);
      entries.set(entry.messageId, entry);
      bell.check();
    },
    receive(max, isFull = none) {
      skips = isFull;
      const next = inTurn(entries.values(), clock.now(), isFull);
      const messages: Message[] = [];
      while (messages.length < max) {
        const entry = next();
        if (!entry) break;
        messages.push(...handOut(entry));
      }
      return messages;
    },
    waitForMessage: bell.wait,
    remove(receiptHandle) {
      entries.delete(held.get(receiptHandle)?.messageId ?? '');
      held.delete(receiptHandle);
    },
    changeVisibility(receiptHandle, seconds) {
      hide(held.get(receiptHandle), seconds, clock.now());
      bell.check();
    },
    stats: () => count(entries.values(), clock.now()),
    purge() {
      entries.clear();
      held.clear();
    },
  };
};

const stateOf = (entry: Entry, now: number): 'visible' | 'inFlight' | 'delayed' => {
  if (entry.visibleAt <= now) return 'visible';
  return entry.receiveCount > 0 ? 'inFlight' : 'delayed';
};

const count = (entries: Iterable<Entry>, now: number) => {
  const stats = { visible: 0, inFlight: 0, delayed: 0 };
  for (const entry of entries) stats[stateOf(entry, now)] += 1;
  return stats;
};

type IsFull = (groupId: string) => boolean;
const none: IsFull = () => false;

const earliest = (entries: Iterable<Entry>, isFull: IsFull): number => {
  let at = Number.POSITIVE_INFINITY;
  for (const { groupId, visibleAt } of entries)
    if (groupId === undefined || !isFull(groupId)) at = Math.min(at, visibleAt);
  return at;
};

const within = (what: string, value: number, max: number): number => {
  if (!(value >= 0 && value <= max)) throw new RangeError(`${what} is ${value}, allowed are 0 to ${max}`);
  return value;
};

const accept = ({ body, delaySeconds = 0, groupId, redriven }: Outgoing, now: number, newId: () => string): Entry => {
  within('the size of the body in bytes', Buffer.byteLength(body), MAX_BODY_BYTES);
  within('delaySeconds', delaySeconds, MAX_DELAY_SECONDS);
  const { messageId = newId(), sentAt = now } = redriven ?? {};
  const visibleAt = now + delaySeconds * 1000;
  return { messageId, body, groupId, sentAt, visibleAt, receiveCount: 0, firstReceivedAt: 0, receiptHandle: '' };
};

const take = (entry: Entry, receiptHandle: string, now: number, visibilitySeconds: number): void => {
  if (entry.receiveCount === 0) entry.firstReceivedAt = now;
  entry.receiveCount += 1;
  entry.receiptHandle = receiptHandle;
  entry.visibleAt = now + visibilitySeconds * 1000;
};

const hide = (entry: Entry | undefined, seconds: number, now: number): void => {
  within('the visibility timeout in seconds', seconds, MAX_VISIBILITY_SECONDS);
  if (!entry || stateOf(entry, now) !== 'inFlight')
    throw new Error('no message is in flight under this receipt handle');
  entry.visibleAt = now + seconds * 1000;
};

const asMessage = ({ messageId, receiptHandle, body, ...entry }: Entry): Message => ({
  messageId,
  receiptHandle,
  body,
  attributes: {
    ApproximateReceiveCount: String(entry.receiveCount),
    SentTimestamp: String(entry.sentAt),
    ApproximateFirstReceiveTimestamp: String(entry.firstReceivedAt),
    ...(entry.groupId !== undefined && { MessageGroupId: entry.groupId }),
  },
});

const asDeadLetter = ({ messageId, sentAt, body, groupId }: Entry): Outgoing => ({
  body,
  redriven: { messageId, sentAt },
  ...(groupId !== undefined && { groupId }),
});

type Group = { waiting: Entry[]; inFlight: number; lastTurn: number };

/** One pass over the messages by group; when each group was last served comes from the pass before. */
const byGroup = (entries: Iterable<Entry>, before: Map<string, Group>, now: number): Map<string, Group> => {
  const groups = new Map<string, Group>();
  for (const entry of entries) {
    const id = entry.groupId ?? entry.messageId;
    const group = groups.get(id) ?? { waiting: [], inFlight: 0, lastTurn: before.get(id)?.lastTurn ?? 0 };
    groups.set(id, group);
    const state = stateOf(entry, now);
    if (state === 'visible') group.waiting.push(entry);
    if (state === 'inFlight') group.inFlight += 1;
  }
  return groups;
};

const goesBefore = (a: Group, b: Group): boolean =>
  a.inFlight === b.inFlight ? a.lastTurn < b.lastTurn : a.inFlight < b.inFlight;

/** Remembers turns between receives, so that a long queue of one group can't keep out another that has as few in flight. */
const createTurns = () => {
  let groups = new Map<string, Group>();
  let turn = 0;
  return (entries: Iterable<Entry>, now: number, isFull: IsFull) => {
    groups = byGroup(entries, groups, now);
    return (): Entry | undefined => {
      let best: Group | undefined;
      for (const [id, group] of groups) {
        if (group.waiting.length > 0 && !isFull(id) && (!best || goesBefore(group, best))) best = group;
      }
      if (!best) return;
      best.lastTurn = ++turn;
      best.inFlight += 1;
      return best.waiting.shift();
    };
  };
};
