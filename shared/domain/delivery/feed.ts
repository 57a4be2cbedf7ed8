import { type Delivery, KEPT } from './delivery.ts';
import type { WebhookRecord } from './webhook.ts';

/** The most that one fetch gives. */
export const MOST_GIVEN = 100;
/** The longest (s) that a fetch waits for something to give. */
export const LONGEST_WAIT = 20;
/** How long (ms) a delivery waits to be fetched and taken; it is kept for longer. */
export const FEED_KEPT = 14 * 86_400_000;
/** When nobody has fetched for so long (ms), somebody is told. */
export const SILENT_AFTER = 600_000;

/** A delivery that a fetch gave and none has taken yet; `at`: when (ms) it was first given. */
export type Given = { id: string; at: number };

/** A webhook with an address. What one without has to tell is fetched. */
export type PostedWebhook = WebhookRecord & { url: string };
export const isPosted = (webhook: WebhookRecord): webhook is PostedWebhook => webhook.url !== null;

/** Has a delivery waited for so long that nobody is to get it any more? */
export const isExpired = ({ createDate }: Pick<Delivery, 'createDate'>, now: number): boolean =>
  createDate + FEED_KEPT <= now;

/** Is a delivery with this time (ms) no longer kept, so that nothing can be said of it? */
export const isForgotten = (time: number, now: number): boolean => time + KEPT <= now;

/** Since when (ms) nobody has fetched: at least since the webhook was changed, for it may have been off before. */
export const unfetchedSince = ({ lastSuccess = 0, updateDate }: WebhookRecord): number =>
  Math.max(lastSuccess, updateDate);
