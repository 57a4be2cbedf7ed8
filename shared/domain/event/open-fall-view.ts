import * as z from 'zod';
import { SensorId } from '../sensor/sensor.ts';
import { FallState } from '../sensor/sensor-status.ts';
import { millis } from '../values.ts';

/** A fall that has not ended: somebody may be on the floor. */
const OpenFall = z.object({
  since: millis.meta({ description: 'when the fall began' }),
  fallState: FallState.exclude(['finished']),
  isSensitive: z.boolean().meta({ description: 'only the sensitive detection of the sensor reported it' }),
  isSimulated: z.boolean(),
});
export type OpenFall = z.infer<typeof OpenFall>;

/** A sensor with open falls. */
export const SensorWithFalls = z
  .object({
    sensorId: SensorId,
    name: z.string(),
    falls: z
      .array(OpenFall)
      .meta({ description: 'newest first; the number of people that are tracked depends on the sensor' }),
  })
  .meta({ id: 'SensorWithFalls' });
