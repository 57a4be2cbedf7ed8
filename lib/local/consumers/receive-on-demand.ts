import type { MessageSource } from '../queue/queue.ts';
import type { createPrefetch } from './prefetch.ts';

/** The maximum number of messages returned by one SQS receive. */
const MAX_PER_RECEIVE = 10;

type Prefetch = ReturnType<typeof createPrefetch>;

/** Decides how many messages are received next. */
type Demand = {
  /** The prefetched messages, as a poller sees them. */
  source: Pick<MessageSource, 'receive' | 'waitForMessage' | 'stats'>;
  /** Resolves to the number of messages to receive, as soon as there is any demand. */
  next(): Promise<number>;
  /** Ends the demand. A pending `next` call resolves. */
  end(): void;
};

/** A demand for as many messages as SQS returns at once. */
export const unlimited = (prefetched: Prefetch): Demand => ({
  source: prefetched,
  next: async () => MAX_PER_RECEIVE,
  end: () => {},
});

/**
 * A demand for as many messages as a poller last requested. There is demand only while the poller is waiting and has
 * seen all prefetched messages.
 */
export const receiveOnDemand = (prefetched: Prefetch): Demand => {
  let requested = MAX_PER_RECEIVE;
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
    requested = Math.min(max, MAX_PER_RECEIVE);
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
      return requested;
    },
    end: () => {
      isOver = true;
      wake();
    },
  };
};
