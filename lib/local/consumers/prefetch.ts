import { type Clock, createWakeup } from '../clock.ts';
import type { Message } from '../message.ts';
import type { MessageSource } from '../queue/queue.ts';

/** The number of messages that are kept here; they are tasks of some 500 bytes each. */
const MOST = 5_000;

type Waiting = { message: Message; until: number };
type Groups = Map<string, Waiting[]>;

/** Puts the rest of a group behind all other groups. */
const putBack = (groups: Groups, id: string, waiting: Waiting[]): void => {
  groups.delete(id);
  if (waiting.length > 0) groups.set(id, waiting);
};

const takeFirst = (groups: Groups, isFull: (group: string) => boolean): Waiting | undefined => {
  for (const [id, waiting] of groups) {
    if (isFull(id)) continue;
    const first = waiting.shift();
    putBack(groups, id, waiting);
    return first;
  }
  return undefined;
};

const takeNewestOfLongest = (groups: Groups): Waiting | undefined => {
  const [first] = [...groups].sort(([, a], [, b]) => b.length - a.length);
  if (!first) return undefined;
  const [id, longest] = first;
  const newest = longest.pop();
  if (longest.length === 0) groups.delete(id);
  return newest;
};

/**
 * Keeps messages that were received from an SQS endpoint until a poller takes them: group by group in turn, and in
 * order within a group. After `seconds` a message is dropped, because its visibility timeout is then too close. When
 * more than `most` wait, the newest message of the longest group is given back, so that the many messages of one
 * group don't displace the few of another.
 */
export const createPrefetch = (clock: Clock, seconds: number, most = MOST) => {
  const groups: Groups = new Map();
  let size = 0;
  let hasNews = false;
  const wakeup = createWakeup(clock, () => (hasNews ? 0 : Number.POSITIVE_INFINITY));
  const receive: MessageSource['receive'] = (max, isFull = () => false) => {
    hasNews = false;
    const messages: Message[] = [];
    while (messages.length < max) {
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
    /** Did a message arrive since the last receive? */
    hasNews: () => hasNews,
    /** Adds a message. Gives the message that had to be removed for it, if any. */
    add: (message: Message): Message | undefined => {
      const id = message.attributes.MessageGroupId ?? message.messageId;
      const waiting = groups.get(id) ?? [];
      waiting.push({ message, until: clock.now() + seconds * 1_000 });
      groups.set(id, waiting);
      size += 1;
      hasNews = true;
      wakeup.check();
      if (size <= most) return undefined;
      size -= 1;
      return takeNewestOfLongest(groups)?.message;
    },
  };
};
