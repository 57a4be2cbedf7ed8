import * as z from 'zod';
import { eventType, NormalizedCoordinates } from '../event/event.ts';
import { millis } from '../values.ts';
import { maxLengths } from './custom-1.ts';
import { exampleValues, textBetween } from './payload-parts.ts';

/** The Custom 1 payload (D2 "Custom 1"). */
export const Custom1Payload = z
  .strictObject({
    sensorId: z.string().length(26).regex(/^id_/).meta({ description: 'The device id, whatever the maker' }),
    sensorName: textBetween(1, maxLengths.sensorName),
    location: textBetween(1, maxLengths.location).nullable(),
    description: textBetween(1, maxLengths.description),
    title: z.string().min(1).optional(),
    message: z.string().min(1).optional(),
    createDate: millis,
    normalizedCoordinates: NormalizedCoordinates.optional(),
    eventType: eventType(),
  })
  .meta({
    id: 'Custom1Payload',
    examples: [
      {
        sensorId: exampleValues.sensorId,
        sensorName: 'Room 1',
        location: 'Ground floor',
        description: 'Fall detected',
        title: 'Fall: Room 1',
        message: 'Fall detected at 2026-11-20 23:47, Ground floor',
        createDate: 1_795_230_444_137,
        normalizedCoordinates: exampleValues.point,
        eventType: 1,
      },
    ],
  });
export type Custom1Payload = z.input<typeof Custom1Payload>;
