import * as z from 'zod';
import { eventType, NormalizedCoordinates } from '../event/event.ts';
import { millis } from '../values.ts';
import { longest } from './custom-1.ts';
import { between, example } from './payload-parts.ts';

/** The payload of the format Custom 1 (D2 "Custom 1"). */
export const Custom1Payload = z
  .strictObject({
    sensorId: z.string().length(26).regex(/^id_/).meta({ description: 'The device id, for both makers' }),
    sensorName: between(1, longest.sensorName),
    location: between(1, longest.location).nullable(),
    description: between(1, longest.description),
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
        sensorId: example.sensorId,
        sensorName: 'Room 1',
        location: 'Ground floor',
        description: 'Fall detected',
        title: 'Fall: Room 1',
        message: 'Fall detected at 2026-11-20 23:47, Ground floor',
        createDate: 1_795_230_444_137,
        normalizedCoordinates: example.point,
        eventType: 1,
      },
    ],
  });
export type Custom1Payload = z.input<typeof Custom1Payload>;
