import type { Decision } from '#shared/domain/event/decision.ts';
import type { JudgedRun } from '#shared/domain/event/noted-call.ts';
import { type SensorState, seesFall } from '#shared/domain/sensor/sensor-state.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueNames } from '../engine/due.ts';
import { absent, changes, present, where } from '../engine/request.ts';
import { items, lists } from '../table.ts';

/**
 * The position of the last judged message in the order of its sensor, when (ms) the newest one was received, and the last
 * calls of which all was judged.
 */
export type JudgedPosition = { position: string; receiveDate: number; run?: JudgedRun };

/**
 * What a sensor is up to. `decision`: what was decided last, kept until the next decision, to be applied again if need
 * be. `judged`: how far its messages were judged, see functions/workers/process/sensor-input.ts. `ttl` (s): the sensor has left, and its
 * state goes away then.
 */
export type StateItem = SensorState & {
  decision: Decision | null;
  judged?: JudgedPosition;
  duePk?: string;
  dueAt?: string;
  listPk?: string;
  listSk?: string;
  ttl?: number;
};

/** Names to REMOVE when a sensor leaves its customer: its falls are nobody's to see there. */
export const openFallNames = ['listPk', 'listSk'] as const;

export const stateReads = (table: TableReader) => ({
  get: (customerId: number, sensorId: string) => table.get<StateItem>(items.sensorState({ customerId, sensorId })),

  /** The states of sensors, in their order, as they are or were some seconds ago; null for those without. */
  glance: async (sensors: readonly { customerId: number; sensorId: string }[]): Promise<(StateItem | null)[]> => {
    const keys = sensors.map((sensor) => items.sensorState(sensor));
    const found = new Map((await table.getAllEventual<StateItem>(keys)).map((state) => [state.pk, state]));
    return keys.map(({ pk }) => found.get(pk) ?? null);
  },
});

/**
 * `watchAt` (ms): from then on the sensor is looked at; null: as before. `formerUntil` (s): the sensor has left, what it said
 * before is judged, and its state goes away then.
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
    const { listPk: _, listSk: __, ...said } = state;
    const isListed = formerUntil === null && seesFall(state);
    const put = {
      ...said,
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

  /** Has the sensor looked at again at `time` (ms), or (null) no more; nothing when its state moved on. */
  watch: async (customerId: number, sensorId: string, { version }: StateItem, time: number | null): Promise<void> => {
    const unchanged = where('#version = :version', { version });
    const update = time === null ? { remove: dueNames, if: unchanged } : { set: dueAt(sensorId, time), if: unchanged };
    await table.update(items.sensorState({ customerId, sensorId }), changes(update));
  },
});

export const states = (table: Table) => ({ ...stateReads(table), ...stateWrites(table) });
