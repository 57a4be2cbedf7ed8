import { type SensorState, seesFall } from '#shared/domain/sensor/sensor-state.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueNames } from '../engine/due.ts';
import { absent, changes, present, where } from '../engine/request.ts';
import { items, lists } from '../table.ts';
import { decodeState, encodeState, type StateItem, type StoredState } from './state-item.ts';

/** Names to REMOVE when a sensor leaves its customer: its falls are nobody's to see there. */
export const openFallNames = ['listPk', 'listSk'] as const;

export const stateReads = (table: TableReader) => ({
  get: async (customerId: number, sensorId: string): Promise<StateItem | null> => {
    const stored = await table.get<StoredState>(items.sensorState({ customerId, sensorId }));
    return stored && decodeState(stored);
  },

  /** The states of sensors, in their order, as they are or were some seconds ago; null for those without one. */
  glance: async (sensors: readonly { customerId: number; sensorId: string }[]): Promise<(StateItem | null)[]> => {
    const keys = sensors.map((sensor) => items.sensorState(sensor));
    const stored = await table.getAllEventual<StoredState>(keys);
    const found = new Map(stored.map((state) => [state.pk, decodeState(state)]));
    return keys.map(({ pk }) => found.get(pk) ?? null);
  },
});

/**
 * `watchAt` (ms): the sweep checks the sensor from then on; null: as before. `formerUntil` (s): the sensor has left, what it
 * reported before is judged, and its state expires then.
 */
type Times = { watchAt?: number | null; formerUntil?: number | null };

const stateWrites = (table: Table) => ({
  /**
   * Writes the state that a decision was made from and to; false when another decision came first, or when a sensor
   * without a state has gone. `before`: the version of the state that it was made from.
   */
  decide: async (
    { customerId, sensorId }: { customerId: number; sensorId: string },
    before: number,
    state: StateItem,
    { watchAt = null, formerUntil = null }: Times = {},
  ): Promise<boolean> => {
    const key = items.sensorState({ customerId, sensorId });
    const watch = watchAt !== null && dueAt(sensorId, watchAt);
    const { listPk: _, listSk: __, ...content } = state;
    const isListed = formerUntil === null && seesFall(state);
    const put = {
      ...encodeState(content),
      ...key,
      version: before + 1,
      ...watch,
      // The same for all falls of a sensor: one unit is written as the first of them begins, and one as the last ends.
      ...(isListed && lists.openFallsOfCustomer({ customerId, sensorId })),
      ...(formerUntil !== null && { ttl: formerUntil }),
    };
    // Only the first state of a sensor could bring back a sensor that was deleted meanwhile.
    const kind = formerUntil === null ? items.sensor : items.formerSensor;
    const isThere = { check: kind({ customerId, sensorId }), where: present };
    const failed =
      before === 0
        ? await table.write({ put, where: absent }, isThere)
        : await table.write({ put, where: where('#version = :before', { before }) });
    return failed === null;
  },

  /** Notes the times of a report that changed nothing else; false when the state has moved on. */
  hear: async (
    customerId: number,
    sensorId: string,
    before: number,
    { lastSeen, presenceAt, regionsAt }: SensorState,
  ): Promise<boolean> => {
    const set = { lastSeen, presenceAt, regionsAt, version: before + 1 };
    const update = { set, if: where('#version = :before', { before }) };
    return (await table.update(items.sensorState({ customerId, sensorId }), changes(update))) !== null;
  },

  /** Has the sweep check the sensor again at `time` (ms), or (null) no more. Changes nothing when its state has moved on. */
  watch: async (customerId: number, sensorId: string, { version }: StateItem, time: number | null): Promise<void> => {
    const unchanged = where('#version = :version', { version });
    const update = time === null ? { remove: dueNames, if: unchanged } : { set: dueAt(sensorId, time), if: unchanged };
    await table.update(items.sensorState({ customerId, sensorId }), changes(update));
  },
});

export const states = (table: Table) => ({ ...stateReads(table), ...stateWrites(table) });
