import type { Service, Snapshot } from '../../domain/delivery.ts';
import type { Format } from '../../domain/webhook.ts';

/** What a payload tells besides the snapshot: who sends it, by which webhook, and the device's own bytes. */
export type Around = {
  service: Service;
  webhook: { id: string; name: string; isCustomerHook: boolean };
  raw: string | null;
  isTest?: boolean;
};

/** Texts of a payload with a constraint: cut to `most` code points, or filled with what is known instead. */
const fitted = (text: string, most: number, otherwise: string): string =>
  [...(text || otherwise)].slice(0, most).join('');

// A table gives the fields of a snapshot back in any order. Each payload names its fields one by one, for the same
// bytes at every attempt.
const point = (at: Snapshot['event']['coordinates']) => at && { x: at.x, y: at.y, z: at.z };

const ruleOf = (rule: NonNullable<Snapshot['rule']>, situationDescription: string) => ({
  id: rule.id,
  createDate: rule.createDate,
  name: rule.name,
  title: rule.title,
  message: rule.message,
  groupId: rule.groupId,
  situation: rule.situation,
  situationDescription,
  hasRegion: rule.hasRegion,
  regionIndex: rule.regionIndex,
  regionName: rule.regionName,
});

/** The JSON of an object whose values are JSON already. */
const objectOf = (fields: Record<string, string>): string =>
  `{${Object.entries(fields)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`;

const eventOf = ({ id, uuid, createDate, type, action, coordinates }: Snapshot['event'], raw: string): string => {
  const said = JSON.stringify({ id, uuid, createDate, type, action, normalizedCoordinates: point(coordinates) });
  // The device's text as it is: parsed and written again, its long numbers would be rounded.
  return `${said.slice(0, -1)},"raw":${raw}}`;
};

/** D2 "Full format": every key is always there. */
const full = ({ event, sensor, customer, rule }: Snapshot, { service, webhook }: Around, raw: string): string =>
  objectOf({
    service: JSON.stringify({ name: service.name, url: service.url, version: service.version }),
    webhook: JSON.stringify({ id: webhook.id, name: webhook.name, isCustomerHook: webhook.isCustomerHook }),
    event: eventOf(event, raw),
    sensor: JSON.stringify({ id: sensor.id, name: sensor.name, groupId: sensor.groupId }),
    customer: JSON.stringify(customer && { id: customer.id, name: customer.name, location: customer.location }),
    rule: JSON.stringify(rule && ruleOf(rule, event.text)),
  });

/** D2 "Custom 1": small, for bots only. */
const custom1 = ({ event, sensor, customer, rule }: Snapshot): string =>
  JSON.stringify({
    sensorId: sensor.deviceId,
    sensorName: fitted(sensor.name, 128, sensor.id),
    location: customer?.location ? fitted(customer.location, 256, '') : null,
    description: fitted(event.text, 256, event.action),
    ...(rule && { title: rule.title, message: rule.message }),
    createDate: event.createDate,
    ...(event.coordinates && { normalizedCoordinates: point(event.coordinates) }),
    eventType: event.code,
  });

/**
 * The body of a delivery. The same snapshot gives the same bytes at every attempt, and in every version: what waits was
 * begun with them. `raw` is the text of a JSON object, checked when it was received. Throws when it is missing: an event
 * that a message caused is not told as if it had none.
 */
export const render = (format: Format, snapshot: Snapshot, around: Around): string => {
  if (format === 'custom1') return custom1(snapshot);
  if (format === 'raw' && around.isTest) return '{"test":true}';
  const { raw } = around;
  if (raw === null && snapshot.event.source !== null) throw new Error('the message of a delivery is missing');
  return format === 'full' ? full(snapshot, around, raw ?? '{}') : (raw ?? '{}');
};
