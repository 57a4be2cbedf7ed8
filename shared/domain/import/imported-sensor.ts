import * as z from 'zod';
import { SENSOR_NAME_LENGTH } from '../sensor/sensor.ts';
import { text } from '../values.ts';

/** A row in a sensor import. */
export const ImportedSensor = z.object({
  hardwareId: z.string(),
  name: text(...SENSOR_NAME_LENGTH).optional(),
  group: text(1, 64).optional(),
});
export type ImportedSensor = z.output<typeof ImportedSensor>;
