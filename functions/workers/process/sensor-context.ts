import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { CustomerItem } from '#shared/store/people/customers.ts';
import type { FormerSensor } from '#shared/store/sensors/sensor-owners.ts';
import type { StateItem } from '#shared/store/sensors/states.ts';
import type { processing } from './contract.ts';

export type ProcessDeps = Deps<(typeof processing)['uses'][number]>;
/** Where a sensor is looked for: its customer, and its id. */
export type SensorPlace = { customerId: number; sensorId: string };
/**
 * The sensor that a message comes from. `former`: the sensor has left this customer, and is judged as it was when it left.
 * `isLatest`: it was read consistently and with its customer, so alarms may be decided by it.
 */
export type SensorContext = {
  customerId: number;
  sensor: SensorRecord;
  customer: CustomerItem | null;
  former: FormerSensor | null;
  isLatest: boolean;
};

const fresh: StateItem = { ...newSensorState, decision: null };

/** The sensor as it was some seconds ago at most, with its current state: enough for most messages. */
const cheap = async ({ store }: ProcessDeps, { customerId, sensorId }: SensorPlace) => {
  const [sensor, state] = await Promise.all([
    store.sensors.getEventual(customerId, sensorId),
    store.states.get(customerId, sensorId),
  ]);
  return { sensor, state, customer: null };
};

/**
 * Reads everything that a message is judged by. A context that need not be the latest comes without its customer, and
 * costs less. Null when the sensor is gone. What a sensor said before it left a customer belongs to that customer; only
 * a sensor of nobody leaves nothing behind. `known` is the state as it was read before: the conditional write of the
 * decision fails when its version has changed.
 */
export const sensorContextOf = async (
  deps: ProcessDeps,
  place: SensorPlace,
  isLatest: boolean,
  known?: StateItem,
): Promise<{ context: SensorContext | null; state: StateItem }> => {
  const { customerId, sensorId } = place;
  const { sensors } = deps.store;
  const read = isLatest ? await sensors.around(customerId, sensorId, known) : await cheap(deps, place);
  const { sensor, customer } = read;
  const state = read.state ?? fresh;
  const isHere = sensor !== null && state.ttl === undefined;
  if (isHere) return { context: { customerId, sensor, customer, former: null, isLatest }, state };
  // The sensor has left this customer, or the read was from before it arrived.
  if (!isLatest) return sensorContextOf(deps, place, true, state);
  const former = customerId === UNASSIGNED ? null : await sensors.former(customerId, sensorId);
  const context = former && { customerId, sensor: former.sensor, customer, former, isLatest };
  return { context, state };
};
