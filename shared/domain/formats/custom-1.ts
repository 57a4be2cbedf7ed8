import { pointOf, type Render } from './rendering.ts';

/** Cuts a text to `most` code points. An empty text is replaced by `otherwise` first. */
const fitted = (text: string, most: number, otherwise: string): string =>
  [...(text || otherwise)].slice(0, most).join('');

/** The longest texts of this format, in code points. */
export const longest = { sensorName: 128, location: 256, description: 256 } as const;

/** The format Custom 1: a small payload, for bots only. */
export const renderCustom1: Render = ({ event, sensor, customer, rule }) =>
  JSON.stringify({
    sensorId: sensor.deviceId,
    sensorName: fitted(sensor.name, longest.sensorName, sensor.id),
    location: customer?.location ? fitted(customer.location, longest.location, '') : null,
    description: fitted(event.text, longest.description, event.action),
    ...(rule && { title: rule.title, message: rule.message }),
    createDate: event.createDate,
    ...(event.coordinates && { normalizedCoordinates: pointOf(event.coordinates) }),
    eventType: event.code,
  });
