import { placeOf } from '#shared/domain/sensor/region-of-point.ts';
import type { Room } from '#shared/domain/sensor/room.ts';
import { extentOf } from '#shared/domain/sensor/room-geometry.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { type Numbered, renumbered } from '#shared/domain/state/regions.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';
import { type SensorItem, touchSensor, unchangedSince } from './sensor-item.ts';
import type { StoredState } from './state-item.ts';

export const roomReads = (table: TableReader) => ({
  /** Null before the first PUT. */
  get: (customerId: number, sensorId: string) => table.get<Room>(items.room({ customerId, sensorId })),
});

/** Has a state say by their new numbers in which regions somebody is. */
const renumbering = async (
  table: Table,
  key: Key,
  before: readonly Numbered[],
  after: readonly Numbered[],
): Promise<Write[]> => {
  const isSame = before.every(
    ({ id, positionIdx }) => after.find((region) => region.id === id)?.positionIdx === positionIdx,
  );
  const state = isSame ? null : await table.get<StoredState>(key);
  if (!state) return [];
  const set = { ...renumbered(state, before, after), version: state.version + 1 };
  return [{ update: key, changes: changes({ set, if: where('#version = :before', { before: state.version }) }) }];
};

const roomWrites = (table: Table) => ({
  /**
   * Replaces the room of a sensor; false when the sensor, or anything around it, was changed since the sensor was read.
   * The extent and the places of the regions are in the sensor's own item too: what tells where somebody fell has read
   * that anyway. `before`: the regions until then. Its state says who is in which of them by their numbers.
   */
  put: async (
    sensor: Pick<SensorItem, 'id' | 'customerId' | 'revision'>,
    stored: Room,
    before: readonly Numbered[],
  ): Promise<boolean> => {
    const customerId = sensor.customerId ?? UNASSIGNED;
    const sensorId = sensor.id;
    const room: SensorRecord['room'] = { ...extentOf(stored), regions: stored.regions.map(placeOf) };
    const failed = await table.write(
      touchSensor(customerId, sensorId, { room }, unchangedSince(sensor)),
      { put: { ...stored, ...items.room({ customerId, sensorId }) } },
      ...(await renumbering(table, items.sensorState({ customerId, sensorId }), before, stored.regions)),
    );
    return failed === null;
  },
});

export const rooms = (table: Table) => ({ ...roomReads(table), ...roomWrites(table) });
