import type { Deps } from '../../../shared/deps.ts';
import type { SensorRecord } from '../../../shared/domain/sensor.ts';
import { newSensorState } from '../../../shared/domain/sensor-state.ts';
import type { CustomerItem } from '../../../shared/store/customers.ts';
import type { FormerSensor } from '../../../shared/store/sensor-owners.ts';
import type { StateItem } from '../../../shared/store/states.ts';
import type { processing } from './contract.ts';

export type ProcessDeps = Deps<(typeof processing)['uses'][number]>;
/**
 * Where a message comes from. `former`: the sensor has left this customer since, and is judged as it was when it left.
 * `isLatest`: read consistently, and with its customer, so that it may decide whom to tell what.
 */
export type SensorContext = {
  customerId: number;
  sensor: SensorRecord;
  customer: CustomerItem | null;
  former: FormerSensor | null;
  isLatest: boolean;
};

const fresh: StateItem = { ...newSensorState, decision: null };

/** A sensor that is there, some seconds ago perhaps, with its state as it is now: all that most messages need. */
const cheap = async ({ store }: ProcessDeps, customerId: number, sensorId: string) => {
  const [sensor, state] = await Promise.all([
    store.sensors.getEventual(customerId, sensorId),
    store.states.get(customerId, sensorId),
  ]);
  return { sensor, state, customer: null };
};

/**
 * Everything that a message is judged by; of a context that is not to be the latest without its customer, and for less. The
 * context is null when its sensor has gone. What a sensor said before it left a customer is that customer's: nobody's
 * sensors alone leave nothing behind. `known`: its state as it was read before; by its version whoever decides learns if
 * it was another one by then.
 */
export const sensorContextOf = async (
  deps: ProcessDeps,
  customerId: number,
  sensorId: string,
  isLatest: boolean,
  known?: StateItem,
): Promise<{ context: SensorContext | null; state: StateItem }> => {
  const { sensors } = deps.store;
  const read = isLatest ? await sensors.around(customerId, sensorId, known) : await cheap(deps, customerId, sensorId);
  const { sensor, customer } = read;
  const state = read.state ?? fresh;
  const isHere = sensor !== null && state.ttl === undefined;
  if (isHere) return { context: { customerId, sensor, customer, former: null, isLatest }, state };
  // It has left, or was read before it came.
  if (!isLatest) return sensorContextOf(deps, customerId, sensorId, true, state);
  const former = customerId === 0 ? null : await sensors.former(customerId, sensorId);
  const context = former && { customerId, sensor: former.sensor, customer, former, isLatest };
  return { context, state };
};
