import type { createInbox } from './inbox.ts';
import type { MessageSource } from './queue.ts';

/** The most that SQS gives at a time. */
const MOST = 10;

type Inbox = ReturnType<typeof createInbox>;

/** How much is to be received next. */
export type Demand = {
  /** What a poller sees of the inbox. */
  source: Pick<MessageSource, 'receive' | 'waitForMessage' | 'stats'>;
  /** Resolves, when something is to be received, to the number of messages. */
  next(): Promise<number>;
  /** Nobody waits any more. */
  end(): void;
};

/** Always as much as there is. */
export const unlimited = (inbox: Inbox): Demand => ({ source: inbox, next: async () => MOST, end: () => {} });

/** As much as a poller has last asked for, while it waits and has seen all that is here. */
export const createDemand = (inbox: Inbox): Demand => {
  let asked = MOST;
  let waiting = 0;
  let isOver = false;
  let wake = () => {};
  const isWanted = () => isOver || (waiting > 0 && !inbox.hasNews());
  const waitForMessage: MessageSource['waitForMessage'] = async (signal) => {
    waiting += 1;
    wake();
    await inbox.waitForMessage(signal);
    waiting -= 1;
  };
  const receive: MessageSource['receive'] = (max, isFull) => {
    asked = Math.min(max, MOST);
    return inbox.receive(max, isFull);
  };
  return {
    source: { receive, waitForMessage, stats: inbox.stats },
    next: async () => {
      while (!isWanted()) await new Promise<void>((resolve) => (wake = resolve));
      return asked;
    },
    end: () => {
      isOver = true;
      wake();
    },
  };
};
