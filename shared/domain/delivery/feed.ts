import { DELIVERY_RETENTION, type Delivery } from './delivery.ts';
import type { WebhookRecord } from './webhook.ts';

/** The maximum number of deliveries returned by one fetch. */
export const MAX_FETCHED = 100;
/** The longest time (s) a fetch waits for deliveries. */
export const MAX_WAIT_SECONDS = 20;
/** How many fetches may wait at once, per webhook and per customer. Any further fetch is answered immediately. */
export const MAX_WAITING = { ofFeed: 3, ofCustomer: 10 } as const;
/** How long (ms) a delivery can be fetched and confirmed. It is stored for longer. */
export const FEED_RETENTION = 14 * 86_400_000;
/** An alert is sent if there has been no fetch for this long (ms). */
export const UNFETCHED_ALERT_AFTER = 600_000;

/** A fetched but unconfirmed delivery. `at` is when (ms) it was first fetched. */
export type FetchedDelivery = { id: string; at: number };

/** A webhook with a URL. Without one, receivers fetch the deliveries. */
export type WebhookWithUrl = WebhookRecord & { url: string };
export const hasUrl = (webhook: WebhookRecord): webhook is WebhookWithUrl => webhook.url !== null;

/** Whether a delivery is too old to be fetched. */
export const isExpired = ({ createDate }: Pick<Delivery, 'createDate'>, now: number): boolean =>
  createDate + FEED_RETENTION <= now;

/** Whether a delivery from this time (ms) is no longer stored, which means that its result is unknown. */
export const isPastRetention = (time: number, now: number): boolean => time + DELIVERY_RETENTION <= now;

/**
 * Returns the time (ms) since which no one has fetched. Only time after the last change counts, because the webhook may
 * have been disabled before that.
 */
export const unfetchedSince = ({ lastSuccess = 0, updateDate }: WebhookRecord): number =>
  Math.max(lastSuccess, updateDate);
