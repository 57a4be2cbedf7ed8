import * as z from 'zod';
import { millis } from './values.ts';

export const FallState = z.enum(['detected', 'confirmed', 'calling', 'finished']);
export type FallState = z.infer<typeof FallState>;

/** What a sensor is up to. `lastSeen`: null before its first message; `presence`: null while nobody knows. */
export const SensorStatus = z
  .object({
    isActive: z.boolean(),
    lastSeen: millis.nullable(),
    firmwareVersion: z.int(),
    fallState: FallState.nullable().meta({
      description: 'of the newest fall; null: there was none, or it was no fall',
    }),
    presence: z.boolean().nullable(),
    learning: z.object({ active: z.boolean(), endDate: millis.nullable() }),
  })
  .meta({ id: 'SensorStatus' });
