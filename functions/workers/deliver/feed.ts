import { mailManagers, notifyFailed } from '#shared/api/failed-delivery.ts';
import { RELEASE_INTERVAL, type WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { hasUrl, isExpired, UNFETCHED_ALERT_AFTER, unfetchedSince } from '#shared/domain/delivery/feed.ts';
import { isResting } from '#shared/domain/delivery/states.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { type DeliverDeps, MARGIN_MS } from './deps.ts';
import { alarmsFirst, endIfExpired } from './hold.ts';
import { enqueueIfSoon, type Outcome, requeue } from './schedule.ts';
import { findMessage } from './send.ts';

/** The maximum number of feed deliveries checked per task. */
const MAX_CHECKED = 500;
/** How long (ms) processes with an older copy of a webhook may still write to the feed after the webhook gets a URL. */
const LATE_WRITES_MS = 60_000;

/**
 * Ends and reports a delivery that can no longer be fetched. If the delivery has already ended, only removes it from
 * the feed.
 */
const endUnfetched = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: WebhookDelivery,
  reason: 'expired' | 'exhausted',
): Promise<Outcome> => {
  const end = () => deps.store.feeds.end(delivery, reason, deps.now());
  const isEnded = await (isResting(delivery.state) ? end() : notifyFailed(deps, webhook, delivery, end));
  return isEnded ? 'failed' : 'superseded';
};

/**
 * Returns why a delivery ends instead of waiting to be fetched, or null to keep waiting. A delivery without a planned
 * attempt is already in the feed, and this task comes from a fetch that could not return the delivery.
 */
const endReason = async (deps: DeliverDeps, delivery: WebhookDelivery): Promise<'expired' | 'exhausted' | null> => {
  if (delivery.state === 'sending') return null;
  if (isExpired(delivery, deps.now())) return 'expired';
  return delivery.nextAttempt === null && (await findMessage(deps, delivery)).kind === 'lost' ? 'exhausted' : null;
};

/**
 * Adds a delivery to the feed. A delivery being sent is added once the lease has ended. A held delivery stays held
 * until the enabled webhook releases it.
 */
export const enterFeed = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  webhook: WebhookRecord,
): Promise<Outcome> => {
  const { store, now } = deps;
  const found = await store.deliveries.get(key.customerId, key.webhookId, key.id);
  if (!found) return requeue(deps, key);
  const delivery = { ...found, webhookId: key.webhookId };
  if (delivery.state === 'held') return endIfExpired(deps, webhook, delivery);
  if (isResting(delivery.state)) return requeue(deps, key);
  const reason = await endReason(deps, delivery);
  if (reason !== null) return endUnfetched(deps, webhook, delivery, reason);
  return (await store.feeds.moveToFeed(delivery, now())) ? 'pending' : requeue(deps, key);
};

/**
 * If no one fetches a feed, reports this with an alarm and an email to the webhook managers. Repeats the report only if
 * the feed has been fetched since. Ends expired deliveries.
 */
const watchFeed = async (deps: DeliverDeps, webhook: WebhookRecord, timeLeft: () => number): Promise<void> => {
  const { store, now, log, measure } = deps;
  const { customerId, id: webhookId } = webhook;
  const since = unfetchedSince(webhook);
  if (now() - since < UNFETCHED_ALERT_AFTER) return;
  if (await store.feeds.recordNoFetch(webhook, since)) {
    measure('FeedsNotFetched');
    log('warn', 'nobody fetches the feed of a webhook', { customerId, webhookId });
    await mailManagers(deps, webhook, 'feed_not_fetched', { customerId, webhookId, sensor: '' });
  }
  const ids = await store.feeds.pendingIds(webhook, MAX_CHECKED);
  for (const delivery of await store.deliveries.getAll(customerId, webhookId, ids)) {
    if (timeLeft() < MARGIN_MS) return;
    if (isExpired(delivery, now())) await endUnfetched(deps, webhook, delivery, 'expired');
  }
};

/**
 * Posts the deliveries in a feed whose webhook now has a URL. Returns `empty` once the feed is empty and will stay
 * empty.
 */
const emptyFeed = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  timeLeft: () => number,
): Promise<'empty' | 'in_use'> => {
  const { store, now } = deps;
  const ids = await store.feeds.idsToPost(webhook, MAX_CHECKED);
  const deliveries = await store.deliveries.getAll(webhook.customerId, webhook.id, ids);
  for (const [at, delivery] of alarmsFirst(deliveries).entries()) {
    if (timeLeft() < MARGIN_MS) return 'in_use';
    const time = now() + at * RELEASE_INTERVAL;
    if (await store.feeds.moveToPost(delivery, time, now())) await enqueueIfSoon(deps, delivery, time);
  }
  return deliveries.length === 0 && now() - webhook.updateDate > LATE_WRITES_MS ? 'empty' : 'in_use';
};

/**
 * Checks the feed of an enabled webhook: reports that no one fetches it, or empties it once the webhook has a URL. The
 * sweep enqueues this check every minute while deliveries are held, and from 10 minutes after the last fetch until the
 * feed is `empty`.
 */
export const checkFeed = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  timeLeft: () => number,
): Promise<'empty' | 'in_use'> => {
  if (hasUrl(webhook)) return emptyFeed(deps, webhook, timeLeft);
  await watchFeed(deps, webhook, timeLeft);
  return 'in_use';
};
