import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { durationsOf, type RoomContext } from '#shared/domain/state/room-context.ts';
import type { needsOf } from '#shared/domain/state/step.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { CustomerItem } from '#shared/store/people/customers.ts';
import type { FormerSensor } from '#shared/store/sensors/sensor-owners.ts';
import type { StateItem } from '#shared/store/sensors/state-item.ts';
import type { processing } from './contract.ts';

export type ProcessDeps = Deps<(typeof processing)['uses'][number]>;

/** The key of a sensor at one customer, whether current or former. */
export type SensorKey = { customerId: number; sensorId: string };

/** Everything needed to judge sensor messages and decide on alarms. */
export type SensorContext = {
  customerId: number;
  sensor: SensorRecord;
  /** Null for an unlinked sensor, or in a `recent` context. */
  customer: CustomerItem | null;
  /** Set if the sensor has left this customer. Earlier messages are judged by the settings at that time. */
  former: FormerSensor | null;
  /**
   * `latest`: sensor and customer were read consistently, so alarms may be decided. `recent`: the sensor may be some
   * seconds old. The state is always read consistently.
   */
  freshness: 'latest' | 'recent';
  state: StateItem;
};

export const sensorKey = ({ customerId, sensor }: SensorContext): SensorKey => ({ customerId, sensorId: sensor.id });

/** The sensor never existed, was deleted while unlinked, or was erased. */
export type GoneSensor = { kind: 'gone'; state: StateItem };
type LoadedSensor = { kind: 'found'; context: SensorContext } | GoneSensor;

const emptyState: StateItem = { ...newSensorState, decision: null };

/** Reads the sensor, possibly some seconds old, with the current state. This is cheap, and enough for most messages. */
const readRecent = async ({ store }: ProcessDeps, { customerId, sensorId }: SensorKey) => {
  const [sensor, state] = await Promise.all([
    store.sensors.getEventual(customerId, sensorId),
    store.states.get(customerId, sensorId),
  ]);
  return { sensor, state, customer: null };
};

/**
 * Loads a sensor. If the sensor has left this customer, uses the record left there. Only unlinked sensors leave no
 * record. `known` is the state, if it has already been read. If the state has changed since, the conditional write of a
 * decision fails.
 */
export const loadSensor = async (
  deps: ProcessDeps,
  key: SensorKey,
  freshness: SensorContext['freshness'],
  known?: StateItem,
): Promise<LoadedSensor> => {
  const { customerId, sensorId } = key;
  const { sensors } = deps.store;
  const read =
    freshness === 'latest' ? await sensors.getWithContext(customerId, sensorId, known) : await readRecent(deps, key);
  const { sensor, customer } = read;
  const state = read.state ?? emptyState;
  const isHere = sensor !== null && state.ttl === undefined;
  if (isHere) return { kind: 'found', context: { customerId, sensor, customer, former: null, freshness, state } };
  // The sensor has left this customer, or was read before it arrived.
  if (freshness === 'recent') return loadSensor(deps, key, 'latest', state);
  const former = customerId === UNASSIGNED ? null : await sensors.former(customerId, sensorId);
  if (!former) return { kind: 'gone', state };
  return { kind: 'found', context: { customerId, sensor: former.sensor, customer, former, freshness, state } };
};

/** Returns a state without times in the future. Clocks are rarely set back, so the code is loaded on demand. */
export const currentState = async ({ now }: ProcessDeps, state: StateItem): Promise<SensorState> => {
  if (!isFuture(state.lastSeen, now())) return state;
  const { withoutFuture } = await import('#shared/domain/state/set-back.ts');
  return withoutFuture(state, now());
};

/**
 * Loads a sensor's regions and critical configuration if a step needs them. Most steps need neither. The regions that
 * place falls are in the sensor item.
 */
export const loadRoom = async (
  { store }: ProcessDeps,
  { customerId, sensor, former }: SensorContext,
  needs: ReturnType<typeof needsOf>,
): Promise<RoomContext> => {
  if (former) {
    const { regions, critical } = former;
    return { regions, bounds: regions, ...durationsOf(critical, sensor.firmwareVersion) };
  }
  const [room, critical] = await Promise.all([
    needs.regions ? store.rooms.get(customerId, sensor.id) : null,
    needs.critical ? store.configs.get({ customerId, sensorId: sensor.id }, 'critical') : null,
  ]);
  return {
    regions: room?.regions ?? [],
    bounds: sensor.room?.regions ?? [],
    ...durationsOf(critical?.values ?? null, sensor.firmwareVersion),
  };
};
