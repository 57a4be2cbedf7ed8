import { placeOf } from '../../domain/sensor/region-of-point.ts';
import type { Room } from '../../domain/sensor/room.ts';
import { extentOf } from '../../domain/sensor/room-geometry.ts';
import type { SensorRecord } from '../../domain/sensor/sensor.ts';
import { UNASSIGNED } from '../../domain/unassigned.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { items } from '../table.ts';
import { type SensorItem, touchSensor, unchangedSince } from './sensor-item.ts';

export const roomReads = (table: TableReader) => ({
  /** Null before the first PUT. */
  get: (customerId: number, sensorId: string) => table.get<Room>(items.room({ customerId, sensorId })),
});

const roomWrites = (table: Table) => ({
  /**
   * Replaces the room of a sensor; false when the sensor, or anything around it, was changed since the sensor was read.
   * The extent and the places of the regions are in the sensor's own item too: what tells where somebody fell has read
   * that anyway.
   */
  put: async (sensor: Pick<SensorItem, 'id' | 'customerId' | 'revision'>, stored: Room): Promise<boolean> => {
    const [customerId, sensorId] = [sensor.customerId ?? UNASSIGNED, sensor.id];
    const room: SensorRecord['room'] = { ...extentOf(stored), regions: stored.regions.map(placeOf) };
    const failed = await table.write(touchSensor(customerId, sensorId, { room }, unchangedSince(sensor)), {
      put: { ...stored, ...items.room({ customerId, sensorId }) },
    });
    return failed === null;
  },
});

export const rooms = (table: Table) => ({ ...roomReads(table), ...roomWrites(table) });
