import { hasFallForPeople, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes } from '../engine/due.ts';
import { absent, changes, present, where } from '../engine/request.ts';
import { items, lists } from '../table.ts';
import { decodeState, encodeState, type StateItem, type StoredState } from './state-item.ts';

/** The attributes to remove when a sensor leaves a customer, because the customer must no longer see the falls. */
export const openFallAttributes = ['listPk', 'listSk'] as const;

export const stateReads = (table: TableReader) => ({
  get: async (customerId: number, sensorId: string): Promise<StateItem | null> => {
    const stored = await table.get<StoredState>(items.sensorState({ customerId, sensorId }));
    return stored && decodeState(stored);
  },

  /** Returns sensor states in the same order, possibly a few seconds old; null for sensors without a state. */
  glance: async (sensors: readonly { customerId: number; sensorId: string }[]): Promise<(StateItem | null)[]> => {
    const keys = sensors.map((sensor) => items.sensorState(sensor));
    const stored = await table.getAllEventual<StoredState>(keys);
    const found = new Map(stored.map((state) => [state.pk, decodeState(state)]));
    return keys.map(({ pk }) => found.get(pk) ?? null);
  },
});

/**
 * `checkAt`: when (ms) the sweep checks the sensor next, or null for no change. `formerUntil`: when (s) the state
 * expires, if the sensor has left the customer and only older messages are processed.
 */
type StateTimes = { checkAt?: number | null; formerUntil?: number | null };

const stateWrites = (table: Table) => ({
  /**
   * Writes a state together with the decision based on the version `before`. Returns false if another decision came
   * first, or if this is the first state and the sensor was deleted.
   */
  decide: async (
    { customerId, sensorId }: { customerId: number; sensorId: string },
    before: number,
    state: StateItem,
    { checkAt = null, formerUntil = null }: StateTimes = {},
  ): Promise<boolean> => {
    const key = items.sensorState({ customerId, sensorId });
    const due = checkAt !== null && dueAt(sensorId, checkAt);
    const { listPk: _, listSk: __, ...content } = state;
    const isListed = formerUntil === null && hasFallForPeople(state);
    const put = {
      ...encodeState(content),
      ...key,
      version: before + 1,
      ...due,
      // These attributes are the same for all falls at a sensor, so the index is written only when the first one starts
      // and the last one ends.
      ...(isListed && lists.openFallsOfCustomer({ customerId, sensorId })),
      ...(formerUntil !== null && { ttl: formerUntil }),
    };
    // Only a first state needs this check. If the sensor was deleted, any later state fails the version condition.
    const kind = formerUntil === null ? items.sensor : items.formerSensor;
    const sensorExists = { check: kind({ customerId, sensorId }), where: present };
    const failed =
      before === 0
        ? await table.write({ put, where: absent }, sensorExists)
        : await table.write({ put, where: where('#version = :before', { before }) });
    return failed === null;
  },

  /**
   * Records times from a report that changed nothing else. Returns false if the state has changed since it was read.
   */
  recordTimes: async (
    customerId: number,
    sensorId: string,
    before: number,
    { lastSeen, presenceAt, regionsAt }: SensorState,
  ): Promise<boolean> => {
    const set = { lastSeen, presenceAt, regionsAt, version: before + 1 };
    const update = { set, if: where('#version = :before', { before }) };
    return (await table.update(items.sensorState({ customerId, sensorId }), changes(update))) !== null;
  },

  /**
   * Schedules the next sweep check of a sensor, or cancels it if `time` is null. Does nothing if the state has changed
   * since it was read.
   */
  scheduleCheck: async (
    customerId: number,
    sensorId: string,
    { version }: StateItem,
    time: number | null,
  ): Promise<void> => {
    const unchanged = where('#version = :version', { version });
    const update =
      time === null ? { remove: dueAttributes, if: unchanged } : { set: dueAt(sensorId, time), if: unchanged };
    await table.update(items.sensorState({ customerId, sensorId }), changes(update));
  },
});

export const states = (table: Table) => ({ ...stateReads(table), ...stateWrites(table) });
