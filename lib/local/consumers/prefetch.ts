import { type Clock, createWakeup } from '../clock.ts';
import type { Message } from '../message.ts';
import type { MessageSource } from '../queue/queue.ts';

/** The maximum number of messages held in memory, about 500 bytes each. */
const MAX_HELD = 5_000;

type Held = { message: Message; until: number };
type Groups = Map<string, Held[]>;

/** Moves the rest of a group behind all other groups. */
const moveBehind = (groups: Groups, id: string, held: Held[]): void => {
  groups.delete(id);
  if (held.length > 0) groups.set(id, held);
};

const takeFirst = (groups: Groups, isFull: (group: string) => boolean): Held | undefined => {
  for (const [id, held] of groups) {
    if (isFull(id)) continue;
    const first = held.shift();
    moveBehind(groups, id, held);
    return first;
  }
  return undefined;
};

const takeNewestOfLongest = (groups: Groups): Held | undefined => {
  const [first] = [...groups].sort(([, a], [, b]) => b.length - a.length);
  if (!first) return undefined;
  const [id, longest] = first;
  const newest = longest.pop();
  if (longest.length === 0) groups.delete(id);
  return newest;
};

/**
 * Holds messages received from an SQS endpoint until a poller takes them. The poller gets each group's messages in
 * order, alternating between groups. A message is dropped after `seconds`, when its visibility timeout is too close. If
 * more than `max` are held, the newest message in the longest group is returned to the caller, so a large group does
 * not displace small ones.
 */
export const createPrefetch = (clock: Clock, seconds: number, max = MAX_HELD) => {
  const groups: Groups = new Map();
  let size = 0;
  let hasNews = false;
  const wakeup = createWakeup(clock, () => (hasNews ? 0 : Number.POSITIVE_INFINITY));
  const receive: MessageSource['receive'] = (count, isFull = () => false) => {
    hasNews = false;
    const messages: Message[] = [];
    while (messages.length < count) {
      const first = takeFirst(groups, isFull);
      if (!first) break;
      size -= 1;
      if (first.until > clock.now()) messages.push(first.message);
    }
    return messages;
  };
  return {
    receive,
    waitForMessage: wakeup.wait,
    stats: () => ({ visible: size }),
    /** Whether a message has arrived since the last receive. */
    hasNews: () => hasNews,
    /** Adds a message. Returns the message removed to make room, if any. */
    add: (message: Message): Message | undefined => {
      const id = message.attributes.MessageGroupId ?? message.messageId;
      const held = groups.get(id) ?? [];
      held.push({ message, until: clock.now() + seconds * 1_000 });
      groups.set(id, held);
      size += 1;
      hasNews = true;
      wakeup.check();
      if (size <= max) return undefined;
      size -= 1;
      return takeNewestOfLongest(groups)?.message;
    },
  };
};
