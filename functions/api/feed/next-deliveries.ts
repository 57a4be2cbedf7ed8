import { getLinkKey } from '#shared/api/link-key.ts';
import { messageUuidInBody, payloadOf } from '#shared/delivery/message.ts';
import { requestHeaders } from '#shared/delivery/targets/http.ts';
import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { type FetchedDelivery, isExpired } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { FeedDeps } from './deps.ts';

/**
 * Leaves an unfetchable delivery to the `deliver` worker, which ends it and notifies the webhook managers. Every fetch
 * repeats this until the delivery has ended.
 */
const leaveToWorker = ({ enqueue, log, measure }: FeedDeps, delivery: WebhookDelivery): Promise<void> =>
  enqueue([{ ...deliverTask(delivery), isRetry: true }]).catch((error: unknown) => {
    log('error', 'failed to queue a delivery that cannot be fetched', { deliveryId: delivery.id }, error);
    measure('TasksFailed', 1, { worker: 'feed', kind: 'queue' });
  });

/**
 * Whether to return a pending delivery. Ends an escalation step if the alarm was acknowledged before the first fetch,
 * removes ended deliveries from the feed, and leaves expired deliveries to the worker.
 */
const isFetchable = async (deps: FeedDeps, delivery: WebhookDelivery, isNew: boolean): Promise<boolean> => {
  const { store, now } = deps;
  const { state, isStep, hit, customerId, replayOf } = delivery;
  if (state === 'sending' || state === 'held') return false;
  if (state !== 'pending' && state !== 'retrying') await store.feeds.removeFromFeed(delivery);
  else if (isExpired(delivery, now())) await leaveToWorker(deps, delivery);
  else if (!isNew || !isStep || !hit || replayOf !== undefined) return true;
  else if (!(await store.ruleHits.get(customerId, hit.id))?.acknowledgement) return true;
  else await store.feeds.end(delivery, 'canceled', now());
  return false;
};

/** Returns the next deliveries, up to the limit. Unconfirmed deliveries come first, followed by pending deliveries. */
export const nextDeliveries = async (
  deps: FeedDeps,
  webhook: WebhookRecord,
  unconfirmed: readonly FetchedDelivery[],
  limit: number,
): Promise<{ given: readonly FetchedDelivery[]; deliveries: readonly WebhookDelivery[] }> => {
  const { store, now } = deps;
  const known = new Set(unconfirmed.map(({ id }) => id));
  const pending = await store.feeds.pendingIds(webhook, limit + unconfirmed.length);
  const added = pending.filter((id) => !known.has(id)).map((id): FetchedDelivery => ({ id, at: now() }));
  const candidates = [...unconfirmed, ...added.slice(0, Math.max(0, limit - unconfirmed.length))];
  const found = await store.deliveries.getAll(
    webhook.customerId,
    webhook.id,
    candidates.map(({ id }) => id),
  );
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
  const given: FetchedDelivery[] = [];
  const deliveries: WebhookDelivery[] = [];
  for (const candidate of candidates) {
    const delivery = byId.get(candidate.id);
    if (!delivery || !(await isFetchable(deps, delivery, !known.has(candidate.id)))) continue;
    given.push(candidate);
    deliveries.push(delivery);
  }
  return { given, deliveries: deliveries.slice(0, limit) };
};

/**
 * The maximum number of characters for all bodies in a response except the first, because Lambda returns at most 6 MB.
 */
const MAX_CHARACTERS = 1_000_000;

/**
 * Returns the requests that would have been posted, and the ids of deliveries with lost messages. Users see the
 * requests without their authentication, which is the webhook token or is derived from it.
 */
export const requestsOf = async (
  deps: FeedDeps,
  webhook: WebhookRecord,
  deliveries: readonly WebhookDelivery[],
  isForUser: boolean,
) => {
  const { store, settings, now } = deps;
  const addressKey = deliveries.length > 0 ? await getLinkKey(deps) : null;
  const requests = [];
  const lost = new Set<string>();
  let characters = 0;
  for (const delivery of deliveries) {
    const { id, customerId, snapshot } = delivery;
    const source = messageUuidInBody(delivery);
    const raw = source === null ? null : await store.events.bytes(customerId, snapshot.sensor.id, source);
    if (source !== null && raw === null) {
      lost.add(id);
      await leaveToWorker(deps, delivery);
      continue;
    }
    const payload = payloadOf(delivery, webhook, { raw, addressKey });
    const { body } = payload;
    characters += body.length;
    if (requests.length > 0 && characters > MAX_CHARACTERS) break;
    const sender: WebhookRecord = isForUser ? { ...webhook, authMethod: 'none' } : webhook;
    const headers = await requestHeaders(sender, payload, settings, now());
    requests.push({ id, createDate: timeOfUlid(id), headers, body });
  }
  return { requests, lost };
};
