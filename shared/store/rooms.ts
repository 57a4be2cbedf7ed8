import type { Room } from '../domain/room.ts';
import { type Extent, extentOf } from '../domain/room-geometry.ts';
import type { Table, TableReader } from './client.ts';
import { touchSensor } from './sensor-item.ts';
import { items } from './table.ts';

/** A sensor's key in the table. */
type SensorKey = { customerId: number; sensorId: string };

export const roomReads = (table: TableReader) => ({
  /** Null before the first PUT. */
  get: (customerId: number, sensorId: string) => table.get<Room>(items.room({ customerId, sensorId })),
});

export const roomWrites = (table: Table) => ({
  /**
   * Replaces the room of a sensor; false when the sensor has gone. The extent is in the sensor's own item too: what
   * scales coordinates has read that anyway.
   */
  put: async ({ customerId, sensorId }: SensorKey, stored: Room): Promise<boolean> => {
    const room: Extent = extentOf(stored);
    const failed = await table.write(touchSensor(customerId, sensorId, { room }), {
      put: { ...stored, ...items.room({ customerId, sensorId }) },
    });
    return failed === null;
  },
});

export const rooms = (table: Table) => ({ ...roomReads(table), ...roomWrites(table) });
