import { RELEASE_EVERY } from '#shared/domain/delivery/delivery.ts';
import { isExpired, isPosted, SILENT_AFTER, unfetchedSince } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { DeliverDeps } from './deps.ts';
import { enqueueIfSoon } from './enqueue.ts';
import { endUnfetched } from './expire.ts';
import { mailManagers } from './tell-managers.ts';

/** So many deliveries are looked at in one task. */
const MOST = 500;
/** How much time (ms) a task leaves for the writes under way. */
const MARGIN_MS = 5_000;
/** For so long (ms) after a webhook got an address, a process that had read it before may write what was to be fetched. */
const STILL_WRITTEN = 60_000;

const waitingIn = async ({ store }: DeliverDeps, webhook: WebhookRecord) => {
  const ids = await store.feeds.waiting(webhook, MOST);
  return store.deliveries.getAll(webhook.customerId, webhook.id, ids);
};

/**
 * Looks after a feed that nobody fetches: an alarm rings until somebody does, whoever may change the webhook gets a mail
 * once, and what has waited for too long ends, which is told, too.
 */
const watchFeed = async (deps: DeliverDeps, webhook: WebhookRecord, timeLeft: () => number): Promise<void> => {
  const { store, now, log, measure } = deps;
  const { customerId, id: webhookId } = webhook;
  const since = unfetchedSince(webhook);
  if (now() - since < SILENT_AFTER) return;
  measure('FeedsNotFetched');
  if (await store.feeds.missed(webhook, since)) {
    log('warn', 'nobody fetches what a webhook has to tell', { customerId, webhookId });
    await mailManagers(deps, webhook, 'feed_not_fetched', { customerId, webhookId, sensor: '' });
  }
  for (const delivery of await waitingIn(deps, webhook)) {
    if (timeLeft() < MARGIN_MS) return;
    if (isExpired(delivery, now())) await endUnfetched(deps, webhook, delivery, 'expired');
  }
};

/** Posts what waits in the feed of a webhook that has an address by now. True: nothing waits, and nothing will. */
const emptyFeed = async (deps: DeliverDeps, webhook: WebhookRecord, timeLeft: () => number): Promise<boolean> => {
  const { store, now } = deps;
  const waiting = await waitingIn(deps, webhook);
  for (const [at, delivery] of waiting.entries()) {
    if (timeLeft() < MARGIN_MS) return false;
    const time = now() + at * RELEASE_EVERY;
    if (await store.feeds.leave(delivery, time, now())) await enqueueIfSoon(deps, delivery, time);
  }
  return waiting.length === 0 && now() - webhook.updateDate > STILL_WRITTEN;
};

/**
 * Looks at the feed of a webhook that is on: it is watched when nobody fetches, and emptied once the webhook has an
 * address. The sweep calls it each minute while anything is held, and from 10 minutes after the last fetch on. True: the
 * sweep need not look again.
 */
export const lookAtFeed = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  timeLeft: () => number,
): Promise<boolean> => {
  if (isPosted(webhook)) return emptyFeed(deps, webhook, timeLeft);
  await watchFeed(deps, webhook, timeLeft);
  return false;
};
