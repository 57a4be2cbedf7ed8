import * as z from 'zod';
import { SensorId } from '../sensor/sensor.ts';
import { FallState } from '../sensor/sensor-status.ts';
import { millis } from '../values.ts';

/** A fall that is not over: somebody may be on the floor. */
const OpenFall = z.object({
  since: millis.meta({ description: 'when it began' }),
  fallState: FallState.exclude(['finished']),
  isSensitive: z.boolean().meta({ description: 'only the sensitive detection of the sensor reported it' }),
  isSimulated: z.boolean(),
});
export type OpenFall = z.infer<typeof OpenFall>;

/** A sensor with falls that are not over. */
export const SensorWithFalls = z
  .object({
    sensorId: SensorId,
    name: z.string(),
    falls: z.array(OpenFall).meta({ description: 'the newest first; the sensor decides how many people it tracks' }),
  })
  .meta({ id: 'SensorWithFalls' });
