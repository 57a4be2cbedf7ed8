import type { Delivery } from '../domain/delivery.ts';
import { messageIn, render } from '../domain/formats/formats.ts';
import { serviceOf } from '../domain/snapshot.ts';
import type { WebhookRecord } from '../domain/webhook.ts';
import { plainHeadersOf } from './targets/http.ts';

/** What of a stage's settings a message tells. */
type Settings = Parameters<typeof serviceOf>[0];

/** Who speaks in the body. Deliveries from before this was kept in them say what is so now. */
const speakersOf = (settings: Settings, { snapshot }: Delivery, current: WebhookRecord) => {
  const { service = serviceOf(settings), webhook = current } = snapshot;
  return { service, webhook: { id: current.id, name: webhook.name, isCustomerHook: webhook.isCustomerHook ?? false } };
};

const formatOf = ({ format }: Delivery, webhook: WebhookRecord) => format ?? webhook.format;

/** The uuid of the message of a device whose bytes the body of a delivery tells; null: it tells none. */
export const sourceOf = (delivery: Delivery, webhook: WebhookRecord): string | null =>
  messageIn(formatOf(delivery, webhook), delivery.snapshot);

/** The body of a delivery, the same bytes at every attempt. `raw`: the bytes of its source. Throws when those are missing. */
export const bodyOf = (settings: Settings, delivery: Delivery, webhook: WebhookRecord, raw: string | null): string => {
  const { snapshot, isTest = false } = delivery;
  return render(formatOf(delivery, webhook), snapshot, { ...speakersOf(settings, delivery, webhook), isTest, raw });
};

/** The id by which a receiver knows a message: to it a repetition is the same one. */
export const messageIdOf = ({ replayOf, id }: Delivery): string => replayOf ?? id;

/** The headers of a delivery that are the same at every attempt; none of them is secret. */
export const headersOf = (settings: Settings, delivery: Delivery): Record<string, string> =>
  plainHeadersOf(settings, { messageId: messageIdOf(delivery), isTest: delivery.isTest ?? false });
