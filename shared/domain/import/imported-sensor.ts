import * as z from 'zod';
import { text } from '../values.ts';

/** A row of an import of sensors. */
export const ImportedSensor = z.object({
  hardwareId: z.string(),
  name: text(1, 64).optional(),
  group: text(1, 64).optional(),
});
export type ImportedSensor = z.output<typeof ImportedSensor>;
