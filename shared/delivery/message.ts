import { BASE_PATH } from '../domain/base-path.ts';
import type { Delivery } from '../domain/delivery/delivery.ts';
import type { serviceOf } from '../domain/delivery/snapshot.ts';
import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import { formats, JSON_TYPE, messageIn } from '../domain/formats/formats.ts';
import { noticeOf } from '../domain/formats/notice.ts';
import { render } from '../domain/formats/render.ts';
import { addressOf } from './acknowledge-address.ts';
import { type Payload, plainHeadersOf } from './targets/http.ts';
import type { Letter } from './targets/person.ts';

/** The settings of a stage that appear in messages. */
type Settings = Parameters<typeof serviceOf>[0];

/** Gives the service and the webhook that the body names, by their names when the delivery was made. */
const speakersOf = ({ snapshot }: Delivery, current: WebhookRecord) => {
  const { service, webhook = current } = snapshot;
  return { service, webhook: { id: current.id, name: webhook.name, isCustomerHook: webhook.isCustomerHook ?? false } };
};

/** Gives the uuid of the device message whose bytes are in the body of a delivery, or null if there is none. */
export const sourceOf = ({ format, snapshot }: Delivery): string | null =>
  format === undefined ? null : messageIn(format, snapshot);

/** Whether the body of a delivery has an address that is signed. */
export const needsKey = ({ snapshot, hit }: Delivery): boolean =>
  Boolean(snapshot.acknowledgeUntil && snapshot.service.url && hit);

/** The address that acknowledges the hit of a delivery. It throws if the key is needed and missing. */
const acknowledgeUrlOf = (delivery: Delivery, key: string | null): string | null => {
  const { snapshot, hit } = delivery;
  const { acknowledgeUntil: until, service, event } = snapshot;
  if (!hit || !needsKey(delivery)) return null;
  if (key === null) throw new Error('the key that signs addresses is missing');
  const address = addressOf(key, { hitId: hit.id, message: hit.message, until }, event.uuid);
  return `${service.url}${BASE_PATH}/acknowledge/${address}`;
};

/** What a body needs that the delivery does not hold: the bytes of the message of `sourceOf`, and the key of addresses. */
type Needed = { raw: string | null; addressKey: string | null };

/** Makes the body of a delivery, with the same bytes at every attempt. It throws if anything is needed and missing. */
export const bodyOf = (delivery: Delivery, webhook: WebhookRecord, { raw, addressKey }: Needed): string => {
  const { format, snapshot, isTest = false, body } = delivery;
  if (body !== undefined) return body;
  if (format === undefined) throw new Error('a delivery has neither a body nor a format');
  const acknowledgeUrl = acknowledgeUrlOf(delivery, addressKey);
  return render(format, snapshot, { ...speakersOf(delivery, webhook), isTest, raw, acknowledgeUrl });
};

/**
 * Gives what a person is told: the words of the rule, and where and when it was in the person's language. An SMS has the
 * words of the rule alone, for whoever holds the telephone may read it.
 */
export const textOf = ({ snapshot, person }: Delivery): Omit<Letter, 'url'> => {
  const { title, message, facts } = noticeOf(snapshot, { acknowledgeUrl: null });
  const more = person?.by === 'sms' ? [] : facts.map(({ label, value }) => `${label}: ${value}`);
  return {
    title,
    text: [message, more.join('\n')].filter(Boolean).join('\n\n'),
    language: snapshot.reader?.language ?? 'en',
  };
};

/** Gives what a person is sent: the same at every attempt. It throws if the key is needed and missing. */
export const letterOf = (delivery: Delivery, addressKey: string | null): Letter => ({
  ...textOf(delivery),
  url: acknowledgeUrlOf(delivery, addressKey),
});

/** Gives the id by which a receiver recognises a message. A replay has the id of the delivery that it repeats. */
const messageIdOf = ({ replayOf, id }: Delivery): string => replayOf ?? id;

/** What the headers of a delivery tell of it. */
const headOf = (delivery: Delivery) => ({
  // What the delivery has as its body is JSON.
  mediaType: delivery.format === undefined ? JSON_TYPE : formats[delivery.format].mediaType,
  messageId: messageIdOf(delivery),
  isTest: delivery.isTest ?? false,
});

/** Gives what is sent to the webhook. It throws if anything is needed and missing. */
export const payloadOf = (delivery: Delivery, webhook: WebhookRecord, needed: Needed): Payload => ({
  ...headOf(delivery),
  body: bodyOf(delivery, webhook, needed),
  deliveryId: delivery.id,
});

/** Gives the headers of a delivery that are the same at every attempt. None of them is secret. */
export const headersOf = (settings: Settings, delivery: Delivery): Record<string, string> =>
  plainHeadersOf(settings, headOf(delivery));
