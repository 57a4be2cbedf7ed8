import type { Decision } from '../domain/decision.ts';
import type { SensorState } from '../domain/sensor-state.ts';
import type { Table, TableReader } from './client.ts';
import { dueAt, dueNames } from './due.ts';
import { absent, changes, present, where } from './request.ts';
import { items } from './table.ts';

/** The position of a message in what its sensor said, and when (ms) the newest that was judged was received. */
export type Judged = { position: string; receiveDate: number };

/**
 * What a sensor is up to. `decision`: what was decided last, kept until the next decision, to be carried out again if need
 * be. `judged`: how far its messages were judged, see functions/workers/process/said.ts. `ttl` (s): the sensor has left, and its
 * state goes away then.
 */
export type StateItem = SensorState & {
  decision: Decision | null;
  judged?: Judged;
  duePk?: string;
  dueAt?: string;
  ttl?: number;
};

export const stateReads = (table: TableReader) => ({
  get: (customerId: number, sensorId: string) => table.get<StateItem>(items.sensorState({ customerId, sensorId })),
});

export const stateWrites = (table: Table) => ({
  /**
   * Writes the state that a decision was made from and to; false when another decision came first, or when a sensor
   * without a state has gone. `watchAt` (ms): from then on the sensor is looked at; null: as before. `formerUntil`
   * (s): the sensor has left, what it said before is judged, and its state goes away then.
   */
  decide: async (
    customerId: number,
    sensorId: string,
    before: number,
    state: StateItem,
    watchAt: number | null,
    formerUntil: number | null = null,
  ): Promise<boolean> => {
    const key = items.sensorState({ customerId, sensorId });
    const watch = watchAt !== null && dueAt(sensorId, watchAt);
    const put = { ...state, ...key, version: before + 1, ...watch, ...(formerUntil !== null && { ttl: formerUntil }) };
    // Only a first state could bring back something of a sensor that has gone.
    const kind = formerUntil === null ? items.sensor : items.formerSensor;
    const isThere = { check: kind({ customerId, sensorId }), where: present };
    const failed =
      before === 0
        ? await table.write({ put, where: absent }, isThere)
        : await table.write({ put, where: where('#version = :before', { before }) });
    return failed === null;
  },

  /** Has the sensor looked at again at `time` (ms), or (null) no more; nothing when its state moved on. */
  watch: async (customerId: number, sensorId: string, { version }: StateItem, time: number | null): Promise<void> => {
    const unchanged = where('#version = :version', { version });
    const update = time === null ? { remove: dueNames, if: unchanged } : { set: dueAt(sensorId, time), if: unchanged };
    await table.update(items.sensorState({ customerId, sensorId }), changes(update));
  },
});

export const states = (table: Table) => ({ ...stateReads(table), ...stateWrites(table) });
