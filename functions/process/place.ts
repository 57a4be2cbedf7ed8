import type { Deps } from '../../shared/deps.ts';
import type { SensorRecord } from '../../shared/domain/sensor.ts';
import type { CustomerItem } from '../../shared/store/customers.ts';
import type { FormerSensor } from '../../shared/store/sensor-homes.ts';
import type { processing } from './contract.ts';

export type ProcessDeps = Deps<(typeof processing)['uses'][number]>;
/**
 * Where a message comes from. `former`: the sensor has left this customer since, and is judged as it was when it left.
 * `isLatest`: read consistently, so that it may decide whom to tell what.
 */
export type Place = {
  customerId: number;
  sensor: SensorRecord;
  customer: CustomerItem | null;
  former: FormerSensor | null;
  isLatest: boolean;
};

/**
 * Everything that a message is judged by, at half the price if it may be some seconds old; null when its sensor has gone.
 * What a sensor said before it left a customer is that customer's: nobody's sensors alone leave nothing behind.
 */
export const placeOf = async (
  { store }: ProcessDeps,
  customerId: number,
  sensorId: string,
  isLatest: boolean,
): Promise<Place | null> => {
  const { sensors, customers } = store;
  const [sensor, customer] = await Promise.all([
    isLatest ? sensors.get(customerId, sensorId) : sensors.getEventual(customerId, sensorId),
    customerId === 0 ? null : isLatest ? customers.get(customerId) : customers.getEventual(customerId),
  ]);
  const place = { customerId, customer, isLatest };
  if (sensor) return { ...place, sensor, former: null };
  const former = customerId === 0 ? null : await sensors.former(customerId, sensorId);
  return former && { ...place, sensor: former.sensor, former };
};
