import type { Decided } from './decision.ts';
import { type Delivery, deliveryId, type Service, type Snapshot } from './delivery.ts';
import type { Format } from './formats/format.ts';
import { formats } from './formats/formats.ts';
import { defaultRoom, normalize } from './room.ts';
import { fillIn, type Rule } from './rule.ts';
import { wallTime } from './schedule.ts';
import { deviceIdOf, type SensorRecord } from './sensor.ts';

type Customer = { id: number; name: string; location: string };

/** How the service speaks of itself at the moment. */
export const serviceOf = (settings: {
  SERVICE_NAME: string;
  PUBLIC_URL: string;
  SERVICE_VERSION: string;
}): Service => ({ name: settings.SERVICE_NAME, url: settings.PUBLIC_URL, version: settings.SERVICE_VERSION });

/** How a payload speaks of the webhook that it is sent by; its id is that of the delivery. */
export const senderOf = ({ name, isCustomerHook }: { name: string; isCustomerHook: boolean }) => ({
  name,
  ...(isCustomerHook && { isCustomerHook }),
});

/** Everything around an event that its payloads tell of. */
export type EventContext = {
  service: Service;
  event: Decided;
  sensor: SensorRecord;
  customer: Customer | null;
};

const ruleSnapshot = (eventContext: EventContext, rule: Rule, text: string): NonNullable<Snapshot['rule']> => {
  const { happening, createDate } = eventContext.event;
  const { region } = happening;
  const { date, clock } = wallTime(createDate, rule.schedule?.timeZone ?? 'UTC');
  const values = {
    sensor: eventContext.sensor.name,
    region: region?.name ?? '',
    location: eventContext.customer?.location ?? '',
    time: `${date} ${clock}`,
    situation: text,
  };
  return {
    id: rule.id,
    createDate: rule.createDate,
    name: rule.name,
    // A placeholder that stands for nothing must not leave a text empty.
    title: fillIn(rule.title, values) || text,
    message: fillIn(rule.message, values) || text,
    groupId: rule.sensorGroupId ?? 0,
    situation: rule.situation,
    hasRegion: region !== null,
    regionIndex: region?.index ?? -1,
    regionName: region?.name ?? '',
  };
};

/**
 * Freezes everything that a payload says as it is now: whatever is renamed or deployed later, each attempt sends the same
 * bytes. `text` is the situation in the reader's language.
 */
export const snapshotOf = (
  eventContext: EventContext,
  webhook: Snapshot['webhook'],
  rule: Rule | null,
  text: string,
): Snapshot => {
  const { id, uuid, createDate, source, happening } = eventContext.event;
  const { type, action, code, point } = happening;
  const coordinates = point && normalize(point, eventContext.sensor.room ?? defaultRoom);
  const { sensor, customer, service } = eventContext;
  return {
    service,
    ...(webhook && { webhook }),
    event: { id, uuid, createDate, type, action, code, coordinates, text, source },
    sensor: { id: sensor.id, deviceId: deviceIdOf(sensor.hardwareId), name: sensor.name, groupId: sensor.groupId },
    customer: customer && { id: customer.id, name: customer.name, location: customer.location },
    rule: rule && ruleSnapshot(eventContext, rule, text),
  };
};

/** Where a format tells a message once, however many events and rules it is for, all of them name one delivery. */
const deliveryIdOf = (
  { event, sensor }: EventContext,
  { webhookId, format, ruleId }: { webhookId: string; format: Format; ruleId: number },
) => {
  const { source, receiveDate } = event;
  const isOnce = formats[format].isOncePerMessage && source !== null;
  const uuid = isOnce ? source : event.uuid;
  return deliveryId({ receiveDate, uuid, sensorId: sensor.id }, webhookId, isOnce ? 0 : ruleId);
};

/** A delivery that waits for its first attempt. */
export const newDelivery = (
  eventContext: EventContext,
  to: { customerId: number; webhookId: string; format: Format; hit: Delivery['hit']; ruleId: number },
  snapshot: Snapshot,
  now: number,
): Delivery => ({
  id: deliveryIdOf(eventContext, to),
  customerId: to.customerId,
  webhookId: to.webhookId,
  createDate: now,
  updateDate: now,
  state: 'pending',
  reason: null,
  attempts: 0,
  nextAttempt: now,
  hit: to.hit,
  sendTryTimes: [],
  format: to.format,
  snapshot,
});
