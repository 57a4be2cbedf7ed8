import * as z from 'zod';
import { int64, millis } from '../values.ts';
import { eventType, NormalizedCoordinates } from './event.ts';

/** An event in a list. */
export const EventView = z
  .object({
    id: int64,
    uuid: z.string().meta({ format: 'uuid' }),
    createDate: millis,
    receiveDate: millis,
    sensorId: z.string(),
    eventType: eventType().nullable(),
    type: z.string(),
    action: z.string(),
    normalizedCoordinates: NormalizedCoordinates.nullable(),
    region: z
      .object({ positionIdx: z.int().min(0), name: z.string() })
      .nullable()
      .meta({
        description:
          'the region at the time; null outside all regions; `name` is empty for a region only the device knows',
      }),
    raw: z.unknown().meta({ description: 'the device message; numbers keep all digits' }),
  })
  .meta({ id: 'Event' });
