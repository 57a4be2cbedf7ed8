import * as z from 'zod';
import { NotedAcknowledgement } from '../rule/acknowledgement-view.ts';
import { SensorId } from '../sensor/sensor.ts';
import { FallState } from '../sensor/sensor-status.ts';
import { millis, uuid } from '../values.ts';

/** An open fall: someone may be on the floor. */
const OpenFall = z.object({
  uuid: uuid.nullable().meta({
    description: 'an event to acknowledge and close the fall by; null if none was found',
  }),
  regionName: z.string().meta({ description: "that event's region; empty outside all regions" }),
  since: millis.meta({ description: 'when the fall began' }),
  fallState: FallState.exclude(['finished']),
  alarmBy: millis.nullable().meta({
    description:
      'when a suspected fall becomes an alarm at the latest, unless the device reports otherwise; null if it already ' +
      'is one, or if only the device can raise it',
  }),
  isSensitive: z.boolean().meta({ description: "reported only by the sensor's sensitive detection" }),
  isSimulated: z.boolean(),
  acknowledgement: NotedAcknowledgement.nullable().meta({ description: 'null if nobody has acknowledged the fall' }),
});
export type OpenFall = z.infer<typeof OpenFall>;

/** A sensor with open falls. */
export const SensorWithFalls = z
  .object({
    sensorId: SensorId,
    name: z.string(),
    falls: z.array(OpenFall).meta({ description: 'newest first; how many people are tracked depends on the sensor' }),
  })
  .meta({ id: 'SensorWithFalls' });
