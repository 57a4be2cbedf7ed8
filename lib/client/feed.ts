import type { FeedDelivery } from '#openapi';
import type { Client } from './client.ts';
import { type Pause, pause } from './pause.ts';
import { ok, statusOf } from './problem.ts';

const MAX_PAUSE_SECONDS = 30;
/** The age (ms) at which a message is fetched again, because receivers reject signatures older than 5 minutes. */
export const REFETCH_AFTER_MS = 120_000;

/** A long poll that comes back empty sooner than this (ms) did not wait. */
const SHORTEST_WAIT_MS = 500;

export type FeedOptions = {
  /** The message to start after. By default, the feed starts with the oldest unacknowledged message. */
  after?: string;
  /** The maximum number of messages per request, 1 to 100. */
  limit?: number;
  /** How long (s) a request waits for a message, 1 to 20. */
  wait?: number;
  /** Ends the feed when aborted. */
  signal?: AbortSignal;
  /** Called when the service cannot be reached, with the seconds until the next attempt. */
  onTrouble?: (error: unknown, seconds: number) => void;
  pause?: Pause;
  /** The clock (ms). */
  now?: () => number;
};

/** Whether an error may be temporary: no response, 429, or 5xx. */
const isTemporary = (error: unknown): boolean => {
  const status = statusOf(error);
  return status >= 500 || status === 429 || (status === 0 && error instanceof Error);
};

type Query = { after: string | undefined; limit: number; wait: number };

/** Returns functions that fetch messages: once, or with retries until there is a response. */
const createFetcher = (client: Client, webhookId: string, { signal, onTrouble, pause: wait = pause }: FeedOptions) => {
  const fetchOnce = ({ after, ...query }: Query, abortSignal?: AbortSignal): Promise<FeedDelivery[]> => {
    const params = { path: { webhookId }, query: { ...query, ...(after !== undefined && { after }) } };
    return ok(client.GET('/webhooks/{webhookId}/feed', { params, ...(abortSignal && { signal: abortSignal }) }));
  };
  const fetchWithRetries = async (query: Query): Promise<FeedDelivery[]> => {
    for (let seconds = 1; ; seconds = Math.min(2 * seconds, MAX_PAUSE_SECONDS)) {
      try {
        return await fetchOnce(query, signal);
      } catch (error) {
        if (signal?.aborted || !isTemporary(error)) throw error;
        onTrouble?.(error, seconds);
        await wait(seconds, signal);
      }
    }
  };
  return { fetchOnce, fetchWithRetries };
};

/**
 * Yields messages from a webhook without a URL as they arrive, forever. Messages from the same sensor stay in order. A
 * message is acknowledged only when the next one is requested, and the next feed returns all unacknowledged messages. A
 * receiver that crashes at any point therefore misses nothing, and can recognize duplicates by `id`. Leaving the loop
 * acknowledges all but the last message. Signatures are at most two minutes old. Throws a Problem if the webhook is
 * disabled (409), or if the webhook or `after` is unknown (404).
 */
export async function* feed(
  client: Client,
  webhookId: string,
  options: FeedOptions = {},
): AsyncGenerator<FeedDelivery, void, undefined> {
  const { limit = 100, wait = 20, signal, now = Date.now, pause: rest = pause } = options;
  const { fetchOnce, fetchWithRetries } = createFetcher(client, webhookId, options);
  let done = options.after;
  let acknowledged = done;
  try {
    while (!signal?.aborted) {
      const asked = now();
      const messages = await fetchWithRetries({ after: done, limit, wait });
      const fetched = now();
      acknowledged = done;
      // Too many readers are already waiting, so the request did not wait.
      if (messages.length === 0 && fetched - asked < SHORTEST_WAIT_MS) await rest(1, signal);
      for (const message of messages) {
        if (now() - fetched > REFETCH_AFTER_MS) break;
        yield message;
        done = message.id;
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    // If this fails, the next feed returns the messages again.
    if (done !== acknowledged) await fetchOnce({ after: done, limit: 1, wait: 0 }).catch(() => {});
  }
}
