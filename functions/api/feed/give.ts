import { addressKeyOf } from '#shared/api/address-key.ts';
import { payloadOf, sourceOf } from '#shared/delivery/message.ts';
import { requestHeadersOf } from '#shared/delivery/targets/http.ts';
import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { type Given, isExpired } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { FeedDeps } from './deps.ts';

/**
 * Leaves it to the worker to end a delivery that cannot be given, for whoever may manage the webhook is told of it. Until it
 * has ended, each fetch that meets it asks again.
 */
const leaveToEnd = ({ enqueue, log, measure }: FeedDeps, delivery: WebhookDelivery): Promise<void> =>
  enqueue([{ ...deliverTask(delivery), isRetry: true }]).catch((error: unknown) => {
    log('error', 'what cannot be given waits for the next fetch to end', { deliveryId: delivery.id }, error);
    measure('TasksFailed', 1, { worker: 'feed', kind: 'queue' });
  });

/**
 * Is a delivery that waits still to be given? What has ended meanwhile, has expired, or is a step of an alarm that somebody
 * has taken before it was first given, loses its place.
 */
const isToGive = async (deps: FeedDeps, delivery: WebhookDelivery, isNew: boolean): Promise<boolean> => {
  const { store, now } = deps;
  const { state, isStep, hit, customerId, replayOf } = delivery;
  if (state === 'sending' || state === 'held') return false;
  if (state !== 'pending' && state !== 'retrying') await store.feeds.drop(delivery);
  else if (isExpired(delivery, now())) await leaveToEnd(deps, delivery);
  else if (!isNew || !isStep || !hit || replayOf !== undefined) return true;
  else if (!(await store.ruleHits.get(customerId, hit.id))?.acknowledgement) return true;
  else await store.feeds.end(delivery, 'canceled', now());
  return false;
};

/** What is to be given: first what was given before and is not taken, then what waits, as much as fits. */
export const givenNext = async (
  deps: FeedDeps,
  webhook: WebhookRecord,
  before: readonly Given[],
  limit: number,
): Promise<{ given: readonly Given[]; deliveries: readonly WebhookDelivery[] }> => {
  const { store, now } = deps;
  const known = new Set(before.map(({ id }) => id));
  const waiting = await store.feeds.waiting(webhook, limit + before.length);
  const fresh = waiting.filter((id) => !known.has(id)).map((id): Given => ({ id, at: now() }));
  const all = [...before, ...fresh.slice(0, Math.max(0, limit - before.length))];
  const found = await store.deliveries.getAll(
    webhook.customerId,
    webhook.id,
    all.map(({ id }) => id),
  );
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
  const given: Given[] = [];
  const deliveries: WebhookDelivery[] = [];
  for (const waiting of all) {
    const delivery = byId.get(waiting.id);
    if (!delivery || !(await isToGive(deps, delivery, !known.has(waiting.id)))) continue;
    given.push(waiting);
    deliveries.push(delivery);
  }
  return { given, deliveries: deliveries.slice(0, limit) };
};

/** The bodies of one answer are at most so many characters together, but for a first one: Lambda gives up to 6 MB. */
const MOST_CHARACTERS = 1_000_000;

/** The requests that would have been posted, and which deliveries have none, for their messages are lost. */
export const requestsOf = async (deps: FeedDeps, webhook: WebhookRecord, deliveries: readonly WebhookDelivery[]) => {
  const { store, settings, now } = deps;
  const addressKey = deliveries.length > 0 ? await addressKeyOf(deps) : null;
  const requests = [];
  const lost = new Set<string>();
  let characters = 0;
  for (const delivery of deliveries) {
    const { id, customerId, snapshot } = delivery;
    const source = sourceOf(delivery);
    const raw = source === null ? null : await store.events.bytes(customerId, snapshot.sensor.id, source);
    if (source !== null && raw === null) {
      lost.add(id);
      await leaveToEnd(deps, delivery);
      continue;
    }
    const payload = payloadOf(delivery, webhook, { raw, addressKey });
    const { body } = payload;
    characters += body.length;
    if (requests.length > 0 && characters > MOST_CHARACTERS) break;
    const headers = await requestHeadersOf(webhook, payload, settings, now());
    requests.push({ id, createDate: timeOfUlid(id), headers, body });
  }
  return { requests, lost };
};
