import type { KnownRecipients } from '#shared/api/addressees.ts';
import type { Delivery, WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { GATHER_SECONDS, isGathered } from '#shared/domain/delivery/gathering.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { ProcessDeps } from './context.ts';

/**
 * Merges deliveries with the same id, because a Raw webhook gets each message only once. The merged delivery reports to
 * the hits of all originals.
 */
export const mergeDeliveries = (deliveries: readonly Delivery[]): Delivery[] =>
  [...Map.groupBy(deliveries, ({ id }) => id).values()].flatMap(([first, ...others]) => {
    const [hit = null, ...alsoHits] = [first, ...others].flatMap((delivery) => delivery?.hit ?? []);
    return first ? [{ ...first, hit, ...(alsoHits.length > 0 && { alsoHits }) }] : [];
  });

/** Whether a delivery goes to a webhook without a URL, from which it is fetched. */
const isFetched = (delivery: Delivery, { webhooks }: Pick<KnownRecipients, 'webhooks'>): delivery is WebhookDelivery =>
  delivery.webhookId !== null && webhooks.get(delivery.webhookId)?.url === null;

/**
 * Writes deliveries, and returns those to enqueue. Fetched deliveries are written one by one, to keep them in event
 * order.
 */
export const writeDeliveries = async (
  { store }: ProcessDeps,
  deliveries: readonly Delivery[],
  recipients: Pick<KnownRecipients, 'webhooks'>,
): Promise<Delivery[]> => {
  const posted = deliveries.filter((delivery) => !isFetched(delivery, recipients));
  await Promise.all(posted.map((delivery) => store.deliveries.create(delivery, false)));
  for (const delivery of deliveries) if (isFetched(delivery, recipients)) await store.deliveries.createInFeed(delivery);
  return posted;
};

/**
 * Enqueues deliveries. Deliveries that may be combined into one message about several sensors wait for others in the
 * retry queue, where they do not delay alarms.
 */
export const enqueueDeliveries = async (
  { enqueue }: Pick<ProcessDeps, 'enqueue'>,
  deliveries: readonly Delivery[],
): Promise<void> => {
  const gathered = deliveries.filter(isGathered).map((delivery) => ({
    ...deliverTask(delivery),
    isRetry: true,
    notBefore: delivery.createDate + GATHER_SECONDS * 1_000,
  }));
  const others = deliveries.filter((delivery) => !isGathered(delivery));
  await enqueue(others.map(deliverTask));
  if (gathered.length > 0) await enqueue(gathered, { delaySeconds: GATHER_SECONDS });
};
