import { endOriginals, endReplay, report } from '#shared/api/delivery-results.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { type Given, isExpired, isForgotten } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import type { FeedDeps } from './deps.ts';

/** Ends one delivery as taken, with everything that follows from it. Each step may have been done before. */
const takeOne = async (deps: FeedDeps, delivery: WebhookDelivery, at: number): Promise<void> => {
  const { store, now, measure, failpoint } = deps;
  await report(deps, delivery, [at], true);
  failpoint('feed.reported');
  const ended = await endOriginals(deps, delivery);
  if (await store.feeds.take(delivery, at, now())) measure('DeliveriesDelivered');
  failpoint('feed.taken');
  for (const finished of [delivery, ...ended]) await endReplay(deps, finished);
};

/**
 * Takes all that was given up to a delivery, and gives what was given behind it. Null: the delivery was never given, and
 * nothing says that it ever was.
 */
export const takeUpTo = async (
  deps: FeedDeps,
  { customerId, id: webhookId }: WebhookRecord,
  given: readonly Given[],
  after: string,
): Promise<readonly Given[] | null> => {
  const { store, now } = deps;
  const end = given.findIndex(({ id }) => id === after) + 1;
  if (end === 0) {
    if (isForgotten(timeOfUlid(after), now())) return given;
    // It was taken before, or it expired.
    const found = await store.deliveries.get(customerId, webhookId, after);
    const isOver = found?.state === 'delivered' || found?.state === 'failed';
    return isOver || (found && isExpired(found, now())) ? given : null;
  }
  const taken = new Map(given.slice(0, end).map(({ id, at }) => [id, at]));
  const deliveries = await store.deliveries.getAll(customerId, webhookId, [...taken.keys()]);
  await inBatches(deliveries, (delivery) => takeOne(deps, delivery, taken.get(delivery.id) ?? now()));
  return given.slice(end);
};
