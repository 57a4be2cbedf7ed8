import { Sensor } from './sensor.ts';
import { SensorStatus } from './sensor-status.ts';

/** A sensor in a list. */
export const ListedSensorView = Sensor.extend({
  state: SensorStatus.pick({ lastSeen: true, presence: true })
    .nullable()
    .optional()
    .meta({ description: 'missing unless requested; null before the first message' }),
}).meta({ id: 'ListedSensor' });
