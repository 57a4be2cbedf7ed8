import * as z from 'zod';
import { int32, text, uuid } from '../values.ts';

export const RegionKind = z.enum(['default', 'bed', 'door', 'monitored_bed', 'interference']);
export type RegionKind = z.infer<typeof RegionKind>;

const cm = int32(-2_147_483_648, 2_147_483_647);
const seconds = int32(1, 300).default(120);

/** A region in a request: kind, name and two corners are required. */
export const RegionUpdate = z.object({
  id: uuid.optional().meta({
    description: 'if left out, the id of the previous region with the same kind and name, or a new id if there is none',
  }),
  kind: RegionKind,
  name: text(1, 64),
  topLeftX: cm,
  topLeftY: cm,
  bottomRightX: cm,
  bottomRightY: cm,
  zMin: int32(0, 180).default(0),
  zMax: int32(0, 180).default(120),
  enterDuration: seconds,
  exitDuration: seconds,
  fallDetectionEnabled: z.boolean().default(true),
  presenceDetectionEnabled: z.boolean().default(true),
  isLowSnr: z.boolean().optional().meta({ description: 'if left out, true for beds' }),
  isHorizontal: z.boolean().default(false),
});
export type RegionUpdate = z.output<typeof RegionUpdate>;
