import * as z from 'zod';
import type { FallStatus } from './message.ts';
import type { SensorState } from './sensor-state.ts';
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

const furthestFirst: readonly (readonly [FallStatus, FallState])[] = [
  ['finished', 'finished'],
  ['calling', 'calling'],
  ['fall_confirmed', 'confirmed'],
  ['fall_detected', 'detected'],
];

/** How far the newest fall has come; one that ended early is none. */
export const fallStateOf = ({ falls }: Pick<SensorState, 'falls'>): FallState | null => {
  const [newest] = falls.toSorted((a, b) => b.start - a.start);
  const seen = newest?.seen ?? [];
  if (seen.includes('canceled') || seen.includes('fall_exit')) return null;
  return furthestFirst.find(([status]) => seen.includes(status))?.[1] ?? null;
};
