import { hashOf } from '#shared/domain/ids.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { type ListedSensor, unpackSensor } from '#shared/domain/sensor/sensor-row.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table, TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { Key } from '../key.ts';
import type { CustomerItem } from '../people/customers.ts';
import { items, lists } from '../table.ts';
import { readSensor, type SensorItem, updateSensor } from './sensor-item.ts';
import type { FormerSensor } from './sensor-owners.ts';
import { decodeState, type StateItem, type StoredState } from './state-item.ts';

const listedSensor = ({ listSk, ...key }: Key & { listSk: string }): ListedSensor[] => {
  const found = items.sensor.read(key);
  return found ? [unpackSensor(listSk, found.sensorId, Number(found.customerId) || null)] : [];
};

export const sensorReads = (table: TableReader) => ({
  get: (customerId: number, sensorId: string) => table.get<SensorItem>(items.sensor({ customerId, sensorId })),
  getEventual: (customerId: number, sensorId: string) =>
    table.getEventual<SensorRecord>(items.sensor({ customerId, sensorId })),
  /**
   * Reads a sensor, its state (unless already known) and its customer in one consistent read: everything needed to
   * decide alarms.
   */
  getWithContext: async (customerId: number, sensorId: string, known: StateItem | null = null) => {
    const keys = {
      sensor: items.sensor({ customerId, sensorId }),
      state: items.sensorState({ customerId, sensorId }),
      customer: items.customer({ customerId }),
    };
    const wanted = [keys.sensor, ...(known ? [] : [keys.state]), ...(customerId === UNASSIGNED ? [] : [keys.customer])];
    const found = await table.getAll<Item>(wanted);
    const itemAt = <T>({ pk, sk }: Key) => (found.find((item) => item.pk === pk && item.sk === sk) ?? null) as T | null;
    const stored = itemAt<StoredState>(keys.state);
    return {
      sensor: itemAt<SensorRecord>(keys.sensor),
      state: known ?? (stored && decodeState(stored)),
      customer: itemAt<CustomerItem>(keys.customer),
    };
  },
  /** Returns the sensor as it was when it left this customer (FormerSensor). */
  former: (customerId: number, sensorId: string) =>
    table.get<FormerSensor>(items.formerSensor({ customerId, sensorId })),
  wasErased: async (customerId: number, sensorId: string): Promise<boolean> =>
    (await table.get(items.erasedSensor({ customerId, hash: hashOf(sensorId) }))) !== null,
  getAll: (customerId: number, sensorIds: readonly string[]) =>
    table.getAll<SensorRecord>(sensorIds.map((sensorId) => items.sensor({ customerId, sensorId }))),
  /** Returns a customer's sensors, reading only index rows. */
  list: async (customerId: number): Promise<ListedSensor[]> => {
    const rows = await table.queryAll<{ listSk: string }>({
      index: 'list',
      pk: lists.sensorsOfCustomer.pk({ customerId }),
    });
    return rows.flatMap(listedSensor);
  },
});

const sensorWrites = (table: Table) => ({
  /**
   * Sets in sensor lists whether a sensor has been active since `time` (ms), unless a later time has already been set.
   */
  setActive: async (customerId: number, sensorId: string, isActive: boolean, time: number): Promise<void> => {
    await retryOnConflict(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor || (sensor.activityDate ?? 0) > time) return true;
      const set = { isActive, activityDate: time, updateDate: time };
      return (await table.write(updateSensor(sensor, set))) === null || null;
    });
  },

  /** Records whether sensor messages prevent falls from being reported. Returns whether this has changed. */
  setObstacle: async (
    customerId: number,
    sensorId: string,
    name: 'isMisunderstood' | 'marksSilent',
    isSet: boolean,
  ): Promise<boolean> =>
    retryOnConflict(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor || (sensor[name] ?? false) === isSet) return false;
      return (await table.write(updateSensor(sensor, { [name]: isSet }))) === null || null;
    }),

  /** Records the firmware (v0.N) that a device is running. */
  setFirmware: async (customerId: number, sensorId: string, firmwareVersion: number): Promise<void> => {
    await retryOnConflict(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor || sensor.firmwareVersion === firmwareVersion) return true;
      return (await table.write(updateSensor(sensor, { firmwareVersion }))) === null || null;
    });
  },
});

export const sensors = (table: Table) => ({ ...sensorReads(table), ...sensorWrites(table) });
