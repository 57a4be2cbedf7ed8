import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { packSensor } from '#shared/domain/sensor/sensor-row.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table } from '../engine/client.ts';
import { type Condition, changes, type Item, present, type Write, where } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';

/**
 * A sensor as it is stored. `revision` counts every change of the sensor or of what is kept around it (room,
 * configurations, group, rules for its regions), so that whoever removes or moves it all can tell that nothing was added meanwhile.
 */
export type SensorItem = SensorRecord & {
  revision: number;
  activityDate?: number;
  /** ms. Until then its customer lets it register without its token; a sensor that moves or registers loses it. */
  registrationUntil?: number;
};

export const sensorKey = (customerId: number | null, sensorId: string): Key =>
  items.sensor({ customerId: customerId ?? UNASSIGNED, sensorId });

const rowOf = (sensor: SensorRecord) =>
  lists.sensorsOfCustomer({ customerId: sensor.customerId ?? UNASSIGNED, packedSensor: packSensor(sensor) });

/** A sensor at a new place in the table. */
export const newSensorItem = (sensor: SensorRecord): Item & Key => ({
  ...sensor,
  ...sensorKey(sensor.customerId, sensor.id),
  ...rowOf(sensor),
  revision: 1,
});

/** Nothing has changed since the sensor was read. */
export const unchangedSince = ({ revision }: Pick<SensorItem, 'revision'>): Condition =>
  where('#revision = :seenRevision', { seenRevision: revision });

/** Notes a change that the list of sensors does not show, if the sensor is there and as the condition says. */
export const touchSensor = (
  customerId: number,
  sensorId: string,
  set: Item = {},
  isSo: Condition = present,
): Write => ({
  update: sensorKey(customerId, sensorId),
  changes: changes({ set, add: { revision: 1 }, if: isSo }),
});

/** Changes what was read, and its row in the list with it. */
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
