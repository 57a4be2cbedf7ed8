import { type Decided, rawMessageOf } from '../event/decision.ts';
import type { Format } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { asText, ZERO_WIDTH } from '../formats/plain-text.ts';
import { languageOf } from '../identity/language.ts';
import { LINK_SECONDS } from '../rule/acknowledgement.ts';
import type { Escalation } from '../rule/escalation.ts';
import type { Person } from '../rule/recipient.ts';
import type { Rule } from '../rule/rule.ts';
import { fillPlaceholders, MAX_SENT_LENGTH, type Placeholder } from '../rule/rule-texts.ts';
import { defaultRoom, normalize } from '../sensor/room-geometry.ts';
import { deviceIdOf, type SensorRecord } from '../sensor/sensor.ts';
import { dateAndTime, dateTimeAndZone } from '../time/wall-time.ts';
import { type Delivery, deliveryId, type Reader, receiverKey, type Service, type Snapshot } from './delivery.ts';

type Customer = { id: number; name: string; location: string; timeZone: string };

/** Returns the service as named in payloads, from the current settings. */
export const serviceFrom = (settings: {
  SERVICE_NAME: string;
  PUBLIC_URL: string;
  SERVICE_VERSION: string;
}): Service => ({ name: settings.SERVICE_NAME, url: settings.PUBLIC_URL, version: settings.SERVICE_VERSION });

/** Returns the webhook as named in payloads. The id comes from the delivery. */
export const webhookSnapshot = ({ name, isCustomerHook }: { name: string; isCustomerHook: boolean }) => ({
  name,
  ...(isCustomerHook && { isCustomerHook }),
});

/** Everything payloads need to know about an event. */
export type EventContext = {
  service: Service;
  event: Decided;
  sensor: Pick<SensorRecord, 'id' | 'hardwareId' | 'name' | 'groupId' | 'room'>;
  customer: Customer | null;
};

const timeZoneOf = ({ customer }: EventContext, { schedule }: Rule): string =>
  schedule?.timeZone ?? customer?.timeZone ?? 'UTC';

/** Returns the language and local time for event readers. The time is a string, because time zone rules change. */
export const readerOf = (eventContext: EventContext, rule: Rule, locale: string): Reader => ({
  language: languageOf(locale),
  time: dateTimeAndZone(eventContext.event.createDate, timeZoneOf(eventContext, rule)),
  hasPlainNames: true,
});

const ruleSnapshot = (
  eventContext: EventContext,
  rule: Rule,
  text: string,
  isRead: boolean,
): NonNullable<Snapshot['rule']> => {
  const { happening, createDate } = eventContext.event;
  const { region } = happening;
  const name = (value: string): string => (isRead ? asText(value) : value);
  // Two adjacent names must not form a link.
  const template = (words: string): string => (isRead ? words.replaceAll('}{', `}${ZERO_WIDTH}{`) : words);
  // The result must not be empty, even if every placeholder is.
  const filled = (words: string, maxLength: number): string => {
    const result = fillPlaceholders(template(words), values, maxLength);
    return result.replaceAll(ZERO_WIDTH, '') === '' ? text : result;
  };
  const values: Record<Placeholder, string> = {
    sensor: name(eventContext.sensor.name),
    region: name(region?.name ?? ''),
    location: name(eventContext.customer?.location ?? ''),
    time: dateAndTime(createDate, timeZoneOf(eventContext, rule)),
    situation: text,
  };
  return {
    id: rule.id,
    createDate: rule.createDate,
    name: rule.name,
    title: filled(rule.title, MAX_SENT_LENGTH.title),
    message: filled(rule.message, MAX_SENT_LENGTH.message),
    groupId: rule.sensorGroupId ?? 0,
    situation: rule.situation,
    hasRegion: region !== null,
    regionIndex: region?.index ?? -1,
    regionName: region?.name ?? '',
  };
};

/**
 * Returns a snapshot of everything a payload contains, so that all attempts send the same bytes, even after a rename or
 * a deployment. `text` is the situation in the reader's language. `reader` is undefined if programs read the payload.
 */
export const snapshotOf = (
  eventContext: EventContext,
  webhook: Snapshot['webhook'],
  rule: Rule | null,
  { text, reader }: { text: string; reader?: Reader | undefined },
): Snapshot => {
  const { id, uuid, createDate, source, happening } = eventContext.event;
  const { type, action, code, point, acknowledgement } = happening;
  const coordinates = point && normalize(point, eventContext.sensor.room ?? defaultRoom);
  const { sensor, customer, service } = eventContext;
  return {
    service,
    ...(webhook && { webhook }),
    event: { id, uuid, createDate, type, action, code, coordinates, text, source },
    sensor: { id: sensor.id, deviceId: deviceIdOf(sensor.hardwareId), name: sensor.name, groupId: sensor.groupId },
    customer: customer && { id: customer.id, name: customer.name, location: customer.location },
    rule: rule && ruleSnapshot(eventContext, rule, text, reader !== undefined),
    acknowledgeUntil: 0,
    ...(reader && { reader }),
    ...(acknowledgement && { acknowledgement }),
  };
};

/** The escalation round a delivery belongs to. */
export type EscalationRound = Pick<Escalation, 'round' | 'at'>;
type DeliveryContext = { customerId: number; hit: Delivery['hit']; ruleId: number; round?: EscalationRound };
type ToWebhook = { webhookId: string; format: Format };
type ToPerson = { person: Person };

/** Derives the delivery id for a receiver in a round. The id starts with the time when the round was due. */
export const idInRound = (
  { ruleId, ...event }: { uuid: string; sensorId: string; ruleId: number },
  { round, at }: EscalationRound,
  receiver: string,
): string => deliveryId({ ...event, receiveDate: at }, receiver, ruleId, round);

type EventKey = Pick<Decided, 'uuid' | 'source' | 'receiveDate'> & { sensorId: string };
/**
 * Derives the delivery id for one of the first recipients in a hit. In a format that sends each message once, all
 * events and rules for a message share one id.
 */
export const firstDeliveryId = (
  { uuid, source, receiveDate, sensorId }: EventKey,
  ruleId: number,
  receiver: string,
  format?: Format,
): string => {
  const isOnce = format !== undefined && formats[format].isOncePerMessage && source !== null;
  return deliveryId({ receiveDate, uuid: isOnce ? source : uuid, sensorId }, receiver, isOnce ? 0 : ruleId);
};

const deliveryIdOf = (
  { event, sensor }: EventContext,
  { ruleId, round, ...to }: Pick<DeliveryContext, 'ruleId' | 'round'> & (ToWebhook | ToPerson),
) => {
  const receiver = 'person' in to ? receiverKey({ webhookId: null, person: to.person }) : to.webhookId;
  const sensorId = sensor.id;
  if (round) return idInRound({ uuid: event.uuid, sensorId, ruleId }, round, receiver);
  return firstDeliveryId({ ...event, sensorId }, ruleId, receiver, 'format' in to ? to.format : undefined);
};

/**
 * Returns the event to send. If time alone caused it, Raw sends a message about the fall; other formats include no
 * message.
 */
const withRawMessage = (event: Snapshot['event'], format: Format, decided: Decided): Snapshot['event'] =>
  formats[format].message === 'required' ? { ...event, source: rawMessageOf(decided) } : event;

/** Returns a new delivery, due immediately. */
export const newDelivery = (
  eventContext: EventContext,
  to: DeliveryContext & (ToWebhook | ToPerson),
  snapshot: Snapshot,
  now: number,
): Delivery => ({
  id: deliveryIdOf(eventContext, to),
  customerId: to.customerId,
  webhookId: 'person' in to ? null : to.webhookId,
  ...('person' in to && { person: to.person }),
  ...(to.round && to.hit && { isStep: true }),
  createDate: now,
  updateDate: now,
  state: 'pending',
  reason: null,
  attempts: 0,
  nextAttempt: now,
  hit: to.hit,
  sendTryTimes: [],
  ...('format' in to && { format: to.format }),
  ...(eventContext.event.requestId !== undefined && { requestId: eventContext.event.requestId }),
  // A round without a hit notifies emergency contacts about an event alarm.
  snapshot: {
    ...snapshot,
    event: 'format' in to ? withRawMessage(snapshot.event, to.format, eventContext.event) : snapshot.event,
    acknowledgeUntil: to.hit || to.round ? Math.floor(now / 1_000) + LINK_SECONDS : 0,
  },
});
