import type { Custom1Payload } from './custom-1-payload.ts';
import { type PayloadFormat, pointOf } from './format.ts';

/** Texts of a payload with a constraint: cut to `most` code points, or filled with what is known instead. */
const fitted = (text: string, most: number, otherwise: string): string =>
  [...(text || otherwise)].slice(0, most).join('');

/** Small, for bots only. */
export const custom1: PayloadFormat = {
  summary: 'An event in the format Custom 1; for bots',
  isForBots: true,
  needsCode: true,
  message: 'left_out',
  isOncePerMessage: false,
  render: ({ event, sensor, customer, rule }) =>
    JSON.stringify({
      sensorId: sensor.deviceId,
      sensorName: fitted(sensor.name, 128, sensor.id),
      location: customer?.location ? fitted(customer.location, 256, '') : null,
      description: fitted(event.text, 256, event.action),
      ...(rule && { title: rule.title, message: rule.message }),
      createDate: event.createDate,
      ...(event.coordinates && { normalizedCoordinates: pointOf(event.coordinates) }),
      eventType: event.code,
    } satisfies Partial<Record<keyof Custom1Payload, unknown>>),
};
