import { RELEASE_EVERY } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { DeliverDeps } from './deps.ts';
import { enqueueIfSoon } from './enqueue.ts';
import { lookAtFeed } from './watch-feed.ts';

/** How much time (ms) a step leaves for the writes under way. */
const MARGIN_MS = 5_000;

/**
 * Releases the deliveries that an enabled webhook holds, the oldest first, ten a second. The sweep calls it while anything
 * is held, so a crash only delays the rest, and no operation has to start the release of a webhook that is switched on.
 */
export const releaseHeld = async (deps: DeliverDeps, webhook: WebhookRecord, timeLeft: () => number): Promise<void> => {
  const { store, now } = deps;
  if (!webhook.isEnabled) return;
  const isFeedEmpty = await lookAtFeed(deps, webhook, timeLeft);
  if ((webhook.held ?? 0) <= 0) return isFeedEmpty ? store.held.done(webhook) : undefined;
  const reserved = await store.held.reserve(webhook, now());
  if (!reserved) return;
  const ids = await store.held.ids(webhook, reserved.count);
  if (ids.length === 0) return store.held.correct(webhook, now());
  const deliveries = await store.deliveries.getAll(webhook.customerId, webhook.id, ids);
  for (const [at, delivery] of deliveries.entries()) {
    if (timeLeft() < MARGIN_MS) return;
    const time = reserved.from + at * RELEASE_EVERY;
    if (await store.held.release(delivery, time, now())) await enqueueIfSoon(deps, delivery, time);
  }
};
