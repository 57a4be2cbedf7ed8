import * as z from 'zod';
import { millis } from '../values.ts';

export const FallState = z.enum(['detected', 'confirmed', 'calling', 'finished']);
export type FallState = z.infer<typeof FallState>;

/**
 * The sensor status. `lastSeen` is null before the first message; `presence` is null while it is unknown or the sensor
 * is offline.
 */
export const SensorStatus = z
  .object({
    isActive: z.boolean(),
    lastSeen: millis.nullable(),
    firmwareVersion: z.int(),
    fallState: FallState.nullable().meta({
      description:
        "the newest fall's state; null if there was none, or if it was canceled. If the device stops reporting, " +
        'timers advance the state, up to 3 s after the time in the critical configuration',
    }),
    presence: z.boolean().nullable(),
    learning: z.object({ active: z.boolean(), endDate: millis.nullable() }),
  })
  .meta({ id: 'SensorStatus' });
