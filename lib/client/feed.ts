import type { FeedDelivery } from '#openapi';
import type { Client } from './client.ts';
import { type Pause, pause } from './pause.ts';
import { ok, statusOf } from './problem.ts';

const LONGEST_PAUSE = 30;
/** After so long (ms) a message is fetched again, because receivers refuse a signature that is older than 5 minutes. */
export const FRESH = 120_000;

export type FeedOptions = {
  /** Begins behind this message; without it, at the oldest one that was not taken. */
  after?: string;
  /** How many messages one call may bring, 1 to 100. */
  limit?: number;
  /** How long (s) a call waits for a message, 1 to 20. */
  wait?: number;
  /** Ends the feed when it is aborted. */
  signal?: AbortSignal;
  /** Is told when the service cannot be reached, and in how many seconds it is asked again. */
  onTrouble?: (error: unknown, seconds: number) => void;
  pause?: Pause;
  /** The clock, ms. */
  now?: () => number;
};

/** No answer, or one that says that the service is in trouble. Any other answer would be the same again. */
const mayPass = (error: unknown): boolean => {
  const status = statusOf(error);
  return status >= 500 || status === 429 || (status === 0 && error instanceof Error);
};

type Query = { after: string | undefined; limit: number; wait: number };

/** A call of the feed: once, or repeated until it has an answer. */
const asking = (client: Client, webhookId: string, { signal, onTrouble, pause: wait = pause }: FeedOptions) => {
  const ask = ({ after, ...query }: Query, isEndable?: AbortSignal): Promise<FeedDelivery[]> => {
    const params = { path: { webhookId }, query: { ...query, ...(after !== undefined && { after }) } };
    return ok(client.GET('/webhooks/{webhookId}/feed', { params, ...(isEndable && { signal: isEndable }) }));
  };
  const askPatiently = async (query: Query): Promise<FeedDelivery[]> => {
    for (let seconds = 1; ; seconds = Math.min(2 * seconds, LONGEST_PAUSE)) {
      try {
        return await ask(query, signal);
      } catch (error) {
        if (signal?.aborted || !mayPass(error)) throw error;
        onTrouble?.(error, seconds);
        await wait(seconds, signal);
      }
    }
  };
  return { ask, askPatiently };
};

/**
 * Gives the messages of a webhook without an address as they come, in order for each sensor, for ever. A message is
 * acknowledged after the next one was asked for, never before: what was not is given again by the next feed, so a
 * receiver that ends at any line misses nothing, and knows what it gets twice by its `id`. Signatures are not older than
 * two minutes. Leaving the loop
 * acknowledges what came before the last message; to take that one too, ask for the next. Throws a Problem where the
 * webhook is off (409), or `after` or the webhook unknown (404).
 */
export async function* feed(
  client: Client,
  webhookId: string,
  options: FeedOptions = {},
): AsyncGenerator<FeedDelivery, void, undefined> {
  const { limit = 100, wait = 20, signal, now = Date.now } = options;
  const { ask, askPatiently } = asking(client, webhookId, options);
  let done = options.after;
  let acknowledged = done;
  try {
    while (!signal?.aborted) {
      const messages = await askPatiently({ after: done, limit, wait });
      const fetched = now();
      acknowledged = done;
      for (const message of messages) {
        if (now() - fetched > FRESH) break;
        yield message;
        done = message.id;
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    // Where this fails, the next feed gives again what was not acknowledged.
    if (done !== acknowledged) await ask({ after: done, limit: 1, wait: 0 }).catch(() => {});
  }
}
