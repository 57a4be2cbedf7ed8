import { boundsOf } from '#shared/domain/sensor/region-of-point.ts';
import type { Room } from '#shared/domain/sensor/room.ts';
import { extentOf } from '#shared/domain/sensor/room-geometry.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { type NumberedRegion, renumbered } from '#shared/domain/state/regions.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';
import { type SensorItem, touchSensor, unchangedSince } from './sensor-item.ts';
import type { StoredState } from './state-item.ts';

export const roomReads = (table: TableReader) => ({
  /** Returns a room, or null before the first PUT. */
  get: (customerId: number, sensorId: string) => table.get<Room>(items.room({ customerId, sensorId })),
});

/** Returns the write that updates the region numbers in a sensor state, or none if they have not changed. */
const renumberState = async (
  table: Table,
  key: Key,
  before: readonly NumberedRegion[],
  after: readonly NumberedRegion[],
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
   * Replaces a room. Returns false if the sensor, or anything belonging to it, has changed since it was read. The
   * sensor item gets a copy of the dimensions and regions, because processing a fall reads that item anyway. `before`:
   * the previous regions. The state refers to regions by number, so it is updated too.
   */
  put: async (
    sensor: Pick<SensorItem, 'id' | 'customerId' | 'revision'>,
    stored: Room,
    before: readonly NumberedRegion[],
  ): Promise<boolean> => {
    const customerId = sensor.customerId ?? UNASSIGNED;
    const sensorId = sensor.id;
    const room: SensorRecord['room'] = { ...extentOf(stored), regions: stored.regions.map(boundsOf) };
    const failed = await table.write(
      touchSensor(customerId, sensorId, { room }, unchangedSince(sensor)),
      { put: { ...stored, ...items.room({ customerId, sensorId }) } },
      ...(await renumberState(table, items.sensorState({ customerId, sensorId }), before, stored.regions)),
    );
    return failed === null;
  },
});

export const rooms = (table: Table) => ({ ...roomReads(table), ...roomWrites(table) });
