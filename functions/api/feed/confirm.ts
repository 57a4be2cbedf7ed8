import { endAlarmOfEvent, endOriginals, endReplay, reportAttempts } from '#shared/api/delivery-results.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { type FetchedDelivery, isExpired, isPastRetention } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import type { FeedDeps } from './deps.ts';

/** Marks a delivery as delivered and applies all follow-up changes. Every step can be repeated. */
const confirm = async (deps: FeedDeps, delivery: WebhookDelivery, at: number): Promise<void> => {
  const { store, now, measure, failpoint } = deps;
  await reportAttempts(deps, delivery, [at], true);
  await endAlarmOfEvent(deps, delivery);
  failpoint('feed.reported');
  const ended = await endOriginals(deps, delivery);
  if (await store.feeds.acknowledge(delivery, at, now())) measure('DeliveriesDelivered');
  failpoint('feed.taken');
  for (const finished of [delivery, ...ended]) await endReplay(deps, finished);
};

/**
 * Confirms all returned deliveries up to an id, and returns the rest. Returns null if that delivery was never returned.
 */
export const confirmUpTo = async (
  deps: FeedDeps,
  { customerId, id: webhookId }: WebhookRecord,
  given: readonly FetchedDelivery[],
  after: string,
): Promise<readonly FetchedDelivery[] | null> => {
  const { store, now } = deps;
  const end = given.findIndex(({ id }) => id === after) + 1;
  if (end === 0) {
    if (isPastRetention(timeOfUlid(after), now())) return given;
    // Already confirmed, or expired.
    const delivery = await store.deliveries.get(customerId, webhookId, after);
    const hasEnded = delivery?.state === 'delivered' || delivery?.state === 'failed';
    return hasEnded || (delivery && isExpired(delivery, now())) ? given : null;
  }
  const fetchTimes = new Map(given.slice(0, end).map(({ id, at }) => [id, at]));
  const deliveries = await store.deliveries.getAll(customerId, webhookId, [...fetchTimes.keys()]);
  await inBatches(deliveries, (delivery) => confirm(deps, delivery, fetchTimes.get(delivery.id) ?? now()));
  return given.slice(end);
};
