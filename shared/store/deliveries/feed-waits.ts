import { MAX_WAIT_SECONDS } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { Table } from '../engine/client.ts';
import { absent, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** A fetch waiting for deliveries, and when (ms) the response is sent. If the process dies, the entry expires. */
export type FeedWait = { id: string; webhookId: string; until: number };
type FeedOf = Pick<WebhookRecord, 'customerId' | 'id'>;
type Waits = { waits: readonly FeedWait[] };

/** How many times a list change is attempted while other fetches are changing the list. */
const ATTEMPTS = 5;
/** How long (s) the list is kept after the last fetch. */
const KEPT_SECONDS = 60;

/** The waiting fetches, in one item per customer, so that a condition enforces the limits across all processes. */
const feedWaitWrites = (table: Table) => {
  /**
   * Replaces a customer's list with the result of `change`; null leaves it unchanged. Returns false if it was not
   * replaced.
   */
  const replace = async (
    customerId: number,
    now: number,
    change: (waits: readonly FeedWait[]) => readonly FeedWait[] | null,
  ): Promise<boolean> => {
    const key = items.feedWaits({ customerId });
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const row = await table.get<Waits>(key);
      const isWaiting = ({ until }: FeedWait) => until > now && !isFuture(until, now + MAX_WAIT_SECONDS * 1_000);
      const waits = change((row?.waits ?? []).filter(isWaiting));
      if (waits === null) return false;
      const ttl = Math.ceil(Math.max(now, ...waits.map(({ until }) => until)) / 1_000) + KEPT_SECONDS;
      const unchanged = row ? where('#waits = :waits', { waits: row.waits }) : absent;
      if (!(await table.write({ put: { waits, ttl, ...key }, where: unchanged }))) return true;
    }
    return false;
  };
  return {
    /**
     * Lets a fetch wait. Returns false if the webhook or the customer already has the maximum number of waiting
     * fetches.
     */
    begin: (
      { customerId, id: webhookId }: FeedOf,
      wait: Omit<FeedWait, 'webhookId'>,
      most: { ofFeed: number; ofCustomer: number },
      now: number,
    ): Promise<boolean> =>
      replace(customerId, now, (waits) => {
        const ofFeed = waits.filter((other) => other.webhookId === webhookId);
        const isFull = waits.length >= most.ofCustomer || ofFeed.length >= most.ofFeed;
        return isFull ? null : [...waits, { ...wait, webhookId }];
      }),

    /** Ends a wait early. If many requests change the list at once, the wait expires instead. */
    end: async ({ customerId }: FeedOf, id: string, now: number): Promise<void> => {
      await replace(customerId, now, (waits) => {
        const others = waits.filter((wait) => wait.id !== id);
        return others.length < waits.length ? others : null;
      });
    },
  };
};

export const feedWaits = (table: Table) => feedWaitWrites(table);
