import { type Clock, createWakeup } from './clock.ts';
import type { Message, MessageSource } from './queue.ts';

/** Messages that wait here at a time: tasks of some 500 bytes each. */
const MOST = 5_000;

type Waiting = { message: Message; until: number };
type Groups = Map<string, Waiting[]>;

/** Puts what is left of a group behind all others. */
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
  const [[id, longest] = ['', []]] = [...groups].sort(([, a], [, b]) => b.length - a.length);
  const newest = longest.pop();
  if (longest.length === 0) groups.delete(id);
  return newest;
};

/**
 * Messages that a queue elsewhere has handed over, until somebody takes them: group by group in turn, and of a group in
 * their order. `seconds` after its arrival a message counts no more: by then the queue shows it again. When too many
 * wait, the newest of the longest group has to go, so nobody's many keep out another's few.
 */
export const createInbox = (clock: Clock, seconds: number, most = MOST) => {
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
    /** Something came since the last receive. */
    hasNews: () => hasNews,
    /** Takes a message in; gives the one that has to go for it, if one has to. */
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
