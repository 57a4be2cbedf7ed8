import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { isExpired } from '#shared/domain/delivery/feed.ts';
import { isResting } from '#shared/domain/delivery/states.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { comeAgain } from './claim.ts';
import type { DeliverDeps } from './deps.ts';
import { endIfExpired, endUnfetched } from './expire.ts';
import { messageFor } from './send.ts';

/**
 * Why a delivery ends instead of waiting to be fetched; null: it waits. One without a time waits already: its task comes from
 * a fetch that could not give it.
 */
const endOf = async (deps: DeliverDeps, delivery: WebhookDelivery): Promise<'expired' | 'exhausted' | null> => {
  if (delivery.state === 'sending') return null;
  if (isExpired(delivery, deps.now())) return 'expired';
  return delivery.nextAttempt === null && (await messageFor(deps, delivery)) === undefined ? 'exhausted' : null;
};

/**
 * Lets a delivery wait to be fetched; one that is being sent, only once its claim has lapsed. One that is held waits to be
 * released, which the webhook does once it is on.
 */
export const toFeed = async (deps: DeliverDeps, key: WebhookDeliveryKey, webhook: WebhookRecord): Promise<void> => {
  const { store, now } = deps;
  const found = await store.deliveries.get(key.customerId, key.webhookId, key.id);
  if (found?.state === 'held') return endIfExpired(deps, webhook, { ...found, webhookId: key.webhookId });
  if (!found || isResting(found.state)) return comeAgain(deps, key);
  const delivery = { ...found, webhookId: key.webhookId };
  const reason = await endOf(deps, delivery);
  if (reason !== null) return endUnfetched(deps, webhook, delivery, reason);
  if (!(await store.feeds.enter(delivery, now()))) await comeAgain(deps, key);
};
