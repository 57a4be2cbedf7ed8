import * as z from 'zod';
import { NotedAcknowledgement } from '../rule/acknowledgement-view.ts';
import { SensorId } from '../sensor/sensor.ts';
import { FallState } from '../sensor/sensor-status.ts';
import { millis, uuid } from '../values.ts';

/** An open fall: someone may be on the floor. */
const OpenFall = z.object({
  uuid: uuid.nullable().meta({
    description: 'an event of the fall, by which it is acknowledged and closed; null if none was found',
  }),
  regionName: z.string().meta({ description: 'the region of that event; empty if it is in none' }),
  since: millis.meta({ description: 'when the fall began' }),
  fallState: FallState.exclude(['finished']),
  alarmBy: millis.nullable().meta({
    description:
      'when a suspicion becomes an alarm at the latest, unless its device reports something else; null if it is one, or ' +
      'if only its device can make it one',
  }),
  isSensitive: z.boolean().meta({ description: 'only the sensitive detection of the sensor reported it' }),
  isSimulated: z.boolean(),
  acknowledgement: NotedAcknowledgement.nullable().meta({ description: 'null if nobody has acknowledged it' }),
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
