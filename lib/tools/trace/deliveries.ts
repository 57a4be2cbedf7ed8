import { attemptLogOf } from '#shared/domain/delivery/attempt.ts';
import type { AttemptLog } from '#shared/domain/delivery/attempt-log.ts';
import { type Delivery, deliveryId, receiverKey } from '#shared/domain/delivery/delivery.ts';
import type { Table } from '#shared/store/engine/client.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import type { EventItem } from '#shared/store/sensors/events.ts';
import { store } from '#shared/store/store.ts';
import type { SensorKey } from './find.ts';

export type TracedDelivery = { delivery: Delivery; attempts: AttemptLog[] };

/** The number of a webhook's deliveries after the event to search for replays. */
const MAX_SEARCHED = 500;

/** Returns a delivery with all attempts, without the receiver's responses. */
export const tracedDelivery = (delivery: Delivery): TracedDelivery => {
  const { sendTryTimes, log = [], state } = delivery;
  return { delivery, attempts: attemptLogOf(sendTryTimes, log, new Map(), state === 'sending') };
};

/** Returns the ids of an event's deliveries to a webhook, which are derived from the event, webhook and rule. */
const idsOf = ({ sensorId }: SensorKey, event: EventItem, webhookId: string, ruleIds: readonly number[]): string[] => {
  const { receiveDate, uuid, source } = event;
  const byRule = [0, ...ruleIds].map((ruleId) => deliveryId({ receiveDate, uuid, sensorId }, webhookId, ruleId));
  // A webhook with the Raw format gets each message once for all events and rules.
  const raw = source === null ? [] : [deliveryId({ receiveDate, uuid: source, sensorId }, webhookId, 0)];
  return [...new Set([...byRule, ...raw])];
};

/**
 * Finds an event's deliveries to webhooks, and any replays of them. The ids are derived, so each delivery is read by
 * key. Replays are searched for among the webhook's next 500 deliveries.
 */
export const findDeliveries = async (
  table: Table,
  search: { place: SensorKey; event: EventItem; webhookIds: readonly string[]; ruleIds: readonly number[] },
  now: number,
): Promise<TracedDelivery[]> => {
  const { place, event, webhookIds, ruleIds } = search;
  const { deliveries } = store(table);
  const { customerId } = place;
  const ofWebhook = async (webhookId: string): Promise<Delivery[]> => {
    const ids = idsOf(place, event, webhookId, ruleIds);
    const found = await deliveries.getAll(customerId, webhookId, ids);
    if (found.length === 0) return [];
    const { page } = await deliveries.range(customerId, webhookId, [event.receiveDate, now], { limit: MAX_SEARCHED });
    return [...found, ...page.filter(({ replayOf }) => found.some(({ id }) => id === replayOf))];
  };
  return (await Promise.all(webhookIds.map(ofWebhook))).flat().map(tracedDelivery);
};

/** Finds the first deliveries to the people named in an event's hits. The delivery ids are derived here too. */
export const findDeliveriesToPeople = async (
  table: Table,
  { customerId, sensorId }: SensorKey,
  { receiveDate, uuid }: EventItem,
  hits: readonly HitItem[],
): Promise<TracedDelivery[]> => {
  const ids = hits.flatMap(({ ruleId, messages }) =>
    messages.flatMap(({ publisher: by, accountId: userId }) => {
      if (by === 'webhook') return [];
      const receiver = receiverKey({ webhookId: null, person: { userId, by, name: '' } });
      return [deliveryId({ receiveDate, uuid, sensorId }, receiver, ruleId)];
    }),
  );
  const found = await Promise.all(ids.map((id) => store(table).deliveries.get(customerId, null, id)));
  return found.filter((delivery) => delivery !== null).map(tracedDelivery);
};
