import { DELIVERY_RETENTION, type Delivery } from './delivery.ts';
import type { WebhookRecord } from './webhook.ts';

/** The largest number of deliveries that one fetch returns. */
export const MAX_FETCHED = 100;
/** The longest time (s) that a fetch waits for deliveries. */
export const MAX_WAIT_SECONDS = 20;
/**
 * How many fetches of one webhook, and of all webhooks of a customer, may wait at a time. Further fetches are answered
 * at once.
 */
export const MAX_WAITING = { ofFeed: 3, ofCustomer: 10 } as const;
/** How long (ms) a delivery can be fetched and confirmed. It is stored for longer. */
export const FEED_RETENTION = 14 * 86_400_000;
/** An alert is sent if nobody has fetched for this time (ms). */
export const UNFETCHED_ALERT_AFTER = 600_000;

/** A delivery that was fetched but not confirmed. `at` is when (ms) it was first fetched. */
export type FetchedDelivery = { id: string; at: number };

/** A webhook with a URL. Without a URL, receivers fetch the deliveries. */
export type WebhookWithUrl = WebhookRecord & { url: string };
export const hasUrl = (webhook: WebhookRecord): webhook is WebhookWithUrl => webhook.url !== null;

/** Whether a delivery is too old to be fetched. */
export const isExpired = ({ createDate }: Pick<Delivery, 'createDate'>, now: number): boolean =>
  createDate + FEED_RETENTION <= now;

/** Whether a delivery from this time (ms) is no longer stored, so that its result is unknown. */
export const isPastRetention = (time: number, now: number): boolean => time + DELIVERY_RETENTION <= now;

/**
 * Returns the time (ms) since which nobody has fetched. Time before the last change does not count: the webhook may
 * have been disabled.
 */
export const unfetchedSince = ({ lastSuccess = 0, updateDate }: WebhookRecord): number =>
  Math.max(lastSuccess, updateDate);
