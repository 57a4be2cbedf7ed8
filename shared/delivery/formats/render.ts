import type { Snapshot } from '../../domain/delivery.ts';
import type { Format } from '../../domain/webhook.ts';

/** What a payload tells besides the snapshot: who sends it, by which webhook, and the device's own bytes. */
export type Around = {
  service: { name: string; url: string; version: string };
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

/** D2 "Full format": every key is always there. */
const full = ({ event, sensor, customer, rule }: Snapshot, { service, webhook, raw }: Around): string =>
  JSON.stringify({
    service,
    webhook,
    event: {
      id: event.id,
      uuid: event.uuid,
      createDate: event.createDate,
      type: event.type,
      action: event.action,
      normalizedCoordinates: point(event.coordinates),
      raw: raw === null ? {} : JSON.parse(raw),
    },
    sensor: { id: sensor.id, name: sensor.name, groupId: sensor.groupId },
    customer: customer && { id: customer.id, name: customer.name, location: customer.location },
    rule: rule && ruleOf(rule, event.text),
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

/** The body of a delivery. The same snapshot gives the same bytes at every attempt. */
export const render = (format: Format, snapshot: Snapshot, around: Around): string => {
  if (format === 'raw') return around.isTest ? '{"test":true}' : (around.raw ?? '{}');
  return format === 'full' ? full(snapshot, around) : custom1(snapshot);
};
