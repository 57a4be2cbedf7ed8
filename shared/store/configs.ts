import type { ConfigName } from '../domain/config/names.ts';
import type { SensorRecord } from '../domain/sensor.ts';
import type { Table, TableReader } from './client.ts';
import { absent, where } from './request.ts';
import { inTurn } from './retry.ts';
import { readSensor, touchSensor, updateSensor } from './sensor-item.ts';
import { items } from './table.ts';

/** A configuration as it is stored: `version` counts its changes. */
export type ConfigItem<V = Record<string, unknown>> = { name: ConfigName; version: number; values: V };
type Place = { customerId: number; sensorId: string };

export const configReads = (table: TableReader) => ({
  /** Consistent: a change is made from what holds now. Null before the first PUT. */
  get: <V>({ customerId, sensorId }: Place, name: ConfigName) =>
    table.get<ConfigItem<V>>(items.config({ customerId, sensorId, name }), true),
  list: ({ customerId, sensorId }: Place, consistent = false) =>
    table.queryAll<ConfigItem>({ pk: items.config.pk({ customerId, sensorId }), beginsWith: 'CONFIG#', consistent }),
});

export const configWrites = (table: Table) => ({
  /**
   * Replaces a configuration, and with it what of it the sensor itself keeps; both or nothing. `gone`: there is no such
   * sensor; `changed`: another version came first. `before` is the version that this one was made from, 0 for none.
   */
  put: async (
    { customerId, sensorId }: Place,
    name: ConfigName,
    { values, ofSensor }: { values: object; ofSensor?: Partial<SensorRecord> },
    before: number,
  ): Promise<'done' | 'gone' | 'changed'> => {
    const config = {
      put: { name, values, version: before + 1, ...items.config({ customerId, sensorId, name }) },
      where: before === 0 ? absent : where('#version = :before', { before }),
    };
    if (!ofSensor) {
      const failed = await table.write(touchSensor(customerId, sensorId), config);
      return failed === null ? 'done' : failed.includes(0) ? 'gone' : 'changed';
    }
    return inTurn(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor) return 'gone';
      const failed = await table.write(updateSensor(sensor, ofSensor), config);
      return failed === null ? 'done' : failed.includes(1) ? 'changed' : null;
    });
  },
});
