import { BASE_PATH } from '../domain/base-path.ts';
import type { Delivery } from '../domain/delivery/delivery.ts';
import type { serviceFrom } from '../domain/delivery/snapshot.ts';
import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import { formats, JSON_TYPE, messageUuidIn } from '../domain/formats/formats.ts';
import { noticeOf } from '../domain/formats/notice.ts';
import { asText } from '../domain/formats/plain-text.ts';
import { render } from '../domain/formats/render.ts';
import { urgentSituationOf } from '../domain/rule/alarm.ts';
import { fallTokenOf, linkTokenOf } from './acknowledgement-link.ts';
import { type Payload, stableHeaders } from './targets/http.ts';
import type { Notification } from './targets/person.ts';

/** The stage settings included in messages. */
type Settings = Parameters<typeof serviceFrom>[0];

/** Returns the service and the webhook for the body, as they were named when the delivery was created. */
const senderOf = ({ snapshot }: Delivery, current: WebhookRecord) => {
  const { service, webhook = current } = snapshot;
  return { service, webhook: { id: current.id, name: webhook.name, isCustomerHook: webhook.isCustomerHook ?? false } };
};

/** Returns the uuid of the device message whose bytes a delivery body contains, or null. */
export const messageUuidInBody = ({ format, snapshot }: Delivery): string | null =>
  format === undefined ? null : messageUuidIn(format, snapshot);

/** Returns a function that signs the last part of the link in a delivery. Null if there is nothing to acknowledge. */
const signerOf = ({ snapshot, hit, person, customerId }: Delivery): ((key: string) => string) | null => {
  const { acknowledgeUntil: until, event, sensor } = snapshot;
  if (!until || !snapshot.service.url) return null;
  if (hit) return (key) => linkTokenOf(key, { hitId: hit.id, message: hit.message, until }, event.uuid);
  // An emergency contact is also notified of alarms without a hit.
  const isAlarm = urgentSituationOf(event) !== null;
  const claim = { customerId, until, sensorId: sensor.id, uuid: event.uuid };
  return person && isAlarm ? (key) => fallTokenOf(key, { ...claim, userId: person.userId }) : null;
};

/** Returns the link that acknowledges the alarm behind a delivery. Throws if the key is needed but missing. */
const acknowledgeUrlOf = (delivery: Delivery, key: string | null): string | null => {
  const sign = signerOf(delivery);
  if (sign === null) return null;
  if (key === null) throw new Error('the key that signs acknowledgement links is missing');
  return `${delivery.snapshot.service.url}${BASE_PATH}/acknowledge/${sign(key)}`;
};

/** What a body needs besides the delivery: the bytes of the device message, and the acknowledgement link key. */
type Needed = { raw: string | null; addressKey: string | null };

/** Returns the delivery body, with the same bytes on every attempt. Throws if anything needed is missing. */
export const bodyOf = (delivery: Delivery, webhook: WebhookRecord, { raw, addressKey }: Needed): string => {
  const { format, snapshot, isTest = false, body } = delivery;
  if (body !== undefined) return body;
  if (format === undefined) throw new Error('a delivery has neither a body nor a format');
  const acknowledgeUrl = acknowledgeUrlOf(delivery, addressKey);
  return render(format, snapshot, { ...senderOf(delivery, webhook), isTest, raw, acknowledgeUrl });
};

/**
 * Returns the delivery body as shown in the delivery log. The link is left out, because it acknowledges the alarm
 * without a login. Throws if the bytes are needed but missing.
 */
export const shownBodyOf = (delivery: Delivery, webhook: WebhookRecord, raw: string | null): string =>
  bodyOf({ ...delivery, hit: null }, webhook, { raw, addressKey: null });

/**
 * Returns the text for a person: the rule title and message, and the place and time in the person's language. An SMS
 * omits the place and time, because anyone who holds the phone can read it.
 */
export const notificationText = ({ snapshot, person }: Delivery): Omit<Notification, 'url'> => {
  const { title, message, facts } = noticeOf(snapshot, { acknowledgeUrl: null });
  const isSms = person?.by === 'sms';
  const more = isSms ? [] : facts.map(({ label, value }) => `${label}: ${asText(value)}`);
  return {
    title,
    text: [message, more.join('\n')].filter(Boolean).join('\n\n'),
    language: snapshot.reader?.language ?? 'en',
    ...(isSms && { subject: { situation: snapshot.event.text, sensor: asText(snapshot.sensor.name) } }),
  };
};

/**
 * Returns the notification for a person, which is the same on every attempt. Throws if the key is needed but missing.
 */
export const notificationFor = (delivery: Delivery, addressKey: string | null): Notification => ({
  ...notificationText(delivery),
  ...(delivery.hit && { tag: `hit-${delivery.hit.id}` }),
  url: acknowledgeUrlOf(delivery, addressKey),
});

/** Returns the id by which a receiver recognizes a message. A redelivery has the id of the original. */
const messageIdOf = ({ replayOf, id }: Delivery): string => replayOf ?? id;

/** Returns the delivery data contained in headers. */
const headerFields = (delivery: Delivery) => ({
  // Without a format, the delivery body is stored, and is JSON.
  mediaType: delivery.format === undefined ? JSON_TYPE : formats[delivery.format].mediaType,
  messageId: messageIdOf(delivery),
  isTest: delivery.isTest ?? false,
});

/** Returns what is sent to the webhook. Throws if anything needed is missing. */
export const payloadOf = (delivery: Delivery, webhook: WebhookRecord, needed: Needed): Payload => ({
  ...headerFields(delivery),
  body: bodyOf(delivery, webhook, needed),
  deliveryId: delivery.id,
});

/** Returns the delivery headers that are the same on every attempt. None of them is secret. */
export const deliveryHeaders = (settings: Settings, delivery: Delivery): Record<string, string> =>
  stableHeaders(settings, headerFields(delivery));
