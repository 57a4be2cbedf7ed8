import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { isResting } from '#shared/domain/delivery/states.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { DeliverDeps } from './deps.ts';
import { tellFailed } from './tell-managers.ts';

/** Ends a held delivery once it was held for 14 days, and tells of it. */
export const endIfExpired = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: WebhookDelivery,
): Promise<void> => {
  const { store, now } = deps;
  if ((delivery.heldUntil ?? 0) > now()) return;
  await tellFailed(deps, webhook, delivery, () => store.held.end(delivery, 'expired', now()));
};

/**
 * Ends a delivery that waits to be fetched, and that nobody is to get any more, and tells of it. One that has ended, and was
 * left in its feed, loses its place alone.
 */
export const endUnfetched = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: WebhookDelivery,
  reason: 'expired' | 'exhausted',
): Promise<void> => {
  const end = () => deps.store.feeds.end(delivery, reason, deps.now());
  await (isResting(delivery.state) ? end() : tellFailed(deps, webhook, delivery, end));
};
