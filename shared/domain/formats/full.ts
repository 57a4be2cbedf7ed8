import type { Snapshot } from '../delivery/delivery.ts';
import type { FullPayload } from './full-payload.ts';
import { coordinatesOf, type Render } from './rendering.ts';

const ruleOf = (
  rule: NonNullable<Snapshot['rule']>,
  situationDescription: string,
): Record<keyof NonNullable<FullPayload['rule']>, unknown> => ({
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

/** Returns the JSON object for a payload. The fields are already JSON. */
const objectOf = (fields: Readonly<Record<keyof FullPayload, string>>): string =>
  `{${Object.entries(fields)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`;

const eventOf = ({ id, uuid, createDate, type, action, coordinates }: Snapshot['event'], raw: string): string => {
  const event = JSON.stringify({
    id,
    uuid,
    createDate,
    type,
    action,
    normalizedCoordinates: coordinatesOf(coordinates),
  });
  // The device message is inserted unchanged, because parsing it would round long numbers.
  return `${event.slice(0, -1)},"raw":${raw}}`;
};

const acknowledgementOf = (by: Snapshot['acknowledgement']) =>
  by ? { ruleHitId: by.ruleHitId, userId: by.userId, name: by.name, date: by.date } : null;

/** Renders the Full format, which contains all available information. All keys are always present. */
export const renderFull: Render = (snapshot, { service, webhook, acknowledgeUrl }, raw) => {
  const { event, sensor, customer, rule, acknowledgement } = snapshot;
  return objectOf({
    service: JSON.stringify({ name: service.name, url: service.url, version: service.version }),
    webhook: JSON.stringify({ id: webhook.id, name: webhook.name, isCustomerHook: webhook.isCustomerHook }),
    event: eventOf(event, raw),
    sensor: JSON.stringify({ id: sensor.id, name: sensor.name, groupId: sensor.groupId }),
    customer: JSON.stringify(customer && { id: customer.id, name: customer.name, location: customer.location }),
    rule: JSON.stringify(rule && ruleOf(rule, event.text)),
    acknowledgeUrl: JSON.stringify(acknowledgeUrl),
    acknowledgement: JSON.stringify(acknowledgementOf(acknowledgement)),
  });
};
