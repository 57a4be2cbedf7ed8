import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { packSensor } from '#shared/domain/sensor/sensor-row.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table } from '../engine/client.ts';
import { type Condition, changes, type Item, present, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';

/**
 * A sensor as stored. `revision` counts every change to the sensor and its parts (room, configurations, group, rules
 * for its regions). A request that deletes or moves all of them can thereby detect that something was added.
 */
export type SensorItem = SensorRecord & {
  revision: number;
  activityDate?: number;
  /**
   * The time (ms) until which the customer allows the sensor to register without a token. Moving or registering the
   * sensor ends this.
   */
  registrationUntil?: number;
};

export const sensorKey = (customerId: number | null, sensorId: string): Key =>
  items.sensor({ customerId: customerId ?? UNASSIGNED, sensorId });

const rowOf = (sensor: SensorRecord) =>
  lists.sensorsOfCustomer({ customerId: sensor.customerId ?? UNASSIGNED, packedSensor: packSensor(sensor) });

/** Returns the item for a sensor that is new, or new to the customer. */
export const newSensorItem = (sensor: SensorRecord): Item & Key => ({
  ...sensor,
  ...sensorKey(sensor.customerId, sensor.id),
  ...rowOf(sensor),
  revision: 1,
});

/** Requires a sensor to be unchanged since it was read. */
export const unchangedSince = ({ revision }: Pick<SensorItem, 'revision'>): Condition =>
  where('#revision = :seenRevision', { seenRevision: revision });

/** Returns the write for a change not shown in sensor lists. By default, the sensor must exist. */
export const touchSensor = (
  customerId: number,
  sensorId: string,
  set: Item = {},
  condition: Condition = present,
): Write => ({
  update: sensorKey(customerId, sensorId),
  changes: changes({ set, add: { revision: 1 }, if: condition }),
});

/** Returns the write that changes a sensor and its list row, if the sensor is unchanged since it was read. */
export const updateSensor = (item: SensorItem, set: Partial<SensorItem>): Write => ({
  update: sensorKey(item.customerId, item.id),
  changes: changes({
    set: { ...set, ...rowOf({ ...item, ...set }) },
    add: { revision: 1 },
    if: unchangedSince(item),
  }),
});

export const readSensor = (table: Pick<Table, 'get'>, customerId: number | null, sensorId: string) =>
  table.get<SensorItem>(sensorKey(customerId, sensorId));
