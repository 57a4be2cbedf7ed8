import { coordinatesOf, type Render } from './rendering.ts';

/** Truncates text to `max` code points. Empty text is replaced with `fallback`. */
const truncated = (text: string, max: number, fallback: string): string =>
  [...(text || fallback)].slice(0, max).join('');

/** The maximum text lengths in this format, in code points. */
export const maxLengths = { sensorName: 128, location: 256, description: 256 } as const;

/** Renders the Custom 1 format: a small payload, for bots only. */
export const renderCustom1: Render = ({ event, sensor, customer, rule }) =>
  JSON.stringify({
    sensorId: sensor.deviceId,
    sensorName: truncated(sensor.name, maxLengths.sensorName, sensor.id),
    location: customer?.location ? truncated(customer.location, maxLengths.location, '') : null,
    description: truncated(event.text, maxLengths.description, event.action),
    ...(rule && { title: rule.title, message: rule.message }),
    createDate: event.createDate,
    ...(event.coordinates && { normalizedCoordinates: coordinatesOf(event.coordinates) }),
    eventType: event.code,
  });
