import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import { type RoomContext, timesOf } from '#shared/domain/state/room-context.ts';
import type { needsOf } from '#shared/domain/state/step.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { CustomerItem } from '#shared/store/people/customers.ts';
import type { FormerSensor } from '#shared/store/sensors/sensor-owners.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import type { processing } from './contract.ts';

export type ProcessDeps = Deps<(typeof processing)['uses'][number]>;

/** The customer of a sensor, and its id. */
export type SensorKey = { customerId: number; sensorId: string };

/** Everything that messages of a sensor are judged by, and that alarms are decided by. */
export type SensorContext = {
  customerId: number;
  sensor: SensorRecord;
  /** Null for a sensor of nobody, and where the context is `recent`. */
  customer: CustomerItem | null;
  /** Present if the sensor has left this customer: what it said before is judged by what it was when it left. */
  former: FormerSensor | null;
  /**
   * `latest`: read consistently and with its customer, so alarms may be decided by it. `recent`: the sensor is as it was
   * some seconds ago at most. The state is read consistently by both.
   */
  freshness: 'latest' | 'recent';
  state: StateItem;
};

export const sensorKey = ({ customerId, sensor }: SensorContext): SensorKey => ({ customerId, sensorId: sensor.id });

/** The sensor was never there, was deleted while it belonged to nobody, or was erased. */
export type Gone = { kind: 'gone'; state: StateItem };
export type Loaded = { kind: 'found'; context: SensorContext } | Gone;

const emptyState: StateItem = { ...newSensorState, decision: null };

/** Reads the sensor as it was some seconds ago at most, with its current state: enough for most messages, and cheap. */
const readRecent = async ({ store }: ProcessDeps, { customerId, sensorId }: SensorKey) => {
  const [sensor, state] = await Promise.all([
    store.sensors.getEventual(customerId, sensorId),
    store.states.get(customerId, sensorId),
  ]);
  return { sensor, state, customer: null };
};

/**
 * Loads a sensor. What it said before it left a customer belongs to that customer; only a sensor of nobody leaves nothing
 * behind. `known`: its state, if that was read before. The conditional write of a decision fails if it has changed since.
 */
export const loadSensor = async (
  deps: ProcessDeps,
  key: SensorKey,
  freshness: SensorContext['freshness'],
  known?: StateItem,
): Promise<Loaded> => {
  const { customerId, sensorId } = key;
  const { sensors } = deps.store;
  const read = freshness === 'latest' ? await sensors.around(customerId, sensorId, known) : await readRecent(deps, key);
  const { sensor, customer } = read;
  const state = read.state ?? emptyState;
  const isHere = sensor !== null && state.ttl === undefined;
  if (isHere) return { kind: 'found', context: { customerId, sensor, customer, former: null, freshness, state } };
  // The sensor has left this customer, or the read was from before it arrived.
  if (freshness === 'recent') return loadSensor(deps, key, 'latest', state);
  const former = customerId === UNASSIGNED ? null : await sensors.former(customerId, sensorId);
  if (!former) return { kind: 'gone', state };
  return { kind: 'found', context: { customerId, sensor: former.sensor, customer, former, freshness, state } };
};

/**
 * Loads the parts of the room and the critical configuration of a sensor that a step needs; most steps need neither. The
 * places of falls are in the sensor itself.
 */
export const loadRoom = async (
  { store }: ProcessDeps,
  { customerId, sensor, former }: SensorContext,
  needs: ReturnType<typeof needsOf>,
): Promise<RoomContext> => {
  if (former) {
    const { regions, critical } = former;
    return { regions, places: regions, ...timesOf(critical, sensor.firmwareVersion) };
  }
  const [room, critical] = await Promise.all([
    needs.regions ? store.rooms.get(customerId, sensor.id) : null,
    needs.critical ? store.configs.get({ customerId, sensorId: sensor.id }, 'critical') : null,
  ]);
  return {
    regions: room?.regions ?? [],
    places: sensor.room?.regions ?? [],
    ...timesOf(critical?.values ?? null, sensor.firmwareVersion),
  };
};
