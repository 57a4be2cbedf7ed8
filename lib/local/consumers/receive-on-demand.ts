import type { MessageSource } from '../queue/queue.ts';
import type { createPrefetch } from './prefetch.ts';

/** The largest number of messages that SQS gives per receive. */
const MOST = 10;

type Prefetch = ReturnType<typeof createPrefetch>;

/** Decides how many messages are received next. */
type Demand = {
  /** The prefetched messages as a poller sees them. */
  source: Pick<MessageSource, 'receive' | 'waitForMessage' | 'stats'>;
  /** Resolves, when messages should be received, to their number. */
  next(): Promise<number>;
  /** Stops the demand: a waiting call of `next` resolves. */
  end(): void;
};

/** A demand that is always as large as SQS allows. */
export const unlimited = (prefetched: Prefetch): Demand => ({
  source: prefetched,
  next: async () => MOST,
  end: () => {},
});

/**
 * A demand for as many messages as a poller last asked for, only while it waits and has seen all messages that are
 * here.
 */
export const receiveOnDemand = (prefetched: Prefetch): Demand => {
  let asked = MOST;
  let waiting = 0;
  let isOver = false;
  let wake = () => {};
  const isWanted = () => isOver || (waiting > 0 && !prefetched.hasNews());
  const waitForMessage: MessageSource['waitForMessage'] = async (signal) => {
    waiting += 1;
    wake();
    await prefetched.waitForMessage(signal);
    waiting -= 1;
  };
  const receive: MessageSource['receive'] = (max, isFull) => {
    asked = Math.min(max, MOST);
    return prefetched.receive(max, isFull);
  };
  return {
    source: { receive, waitForMessage, stats: prefetched.stats },
    next: async () => {
      while (!isWanted()) {
        const woken = Promise.withResolvers<void>();
        wake = woken.resolve;
        await woken.promise;
      }
      return asked;
    },
    end: () => {
      isOver = true;
      wake();
    },
  };
};
