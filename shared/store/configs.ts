import type { ConfigName } from '../domain/config/names.ts';
import type { Table, TableReader } from './client.ts';
import { absent, changes, present, where } from './request.ts';
import { items } from './table.ts';

/** A configuration as it is stored: `version` counts its changes. */
export type ConfigItem<V = Record<string, unknown>> = { name: ConfigName; version: number; values: V };
type Place = { customerId: number; sensorId: string };

export const configReads = (table: TableReader) => ({
  /** Consistent: a change is made from what holds now. Null before the first PUT. */
  get: <V>({ customerId, sensorId }: Place, name: ConfigName) =>
    table.get<ConfigItem<V>>(items.config({ customerId, sensorId, name }), true),
  list: ({ customerId, sensorId }: Place) =>
    table.queryAll<ConfigItem>({ pk: items.config.pk({ customerId, sensorId }), beginsWith: 'CONFIG#' }),
});

export const configWrites = (table: Table) => ({
  /**
   * Replaces a configuration, and with it what of it the sensor itself keeps; both or nothing. `gone`: there is no such
   * sensor; `changed`: another version came first. `before` is the version that this one was made from, 0 for none.
   */
  put: async (
    { customerId, sensorId }: Place,
    name: ConfigName,
    { values, ofSensor = {} }: { values: object; ofSensor?: Record<string, unknown> },
    before: number,
  ): Promise<'done' | 'gone' | 'changed'> => {
    const sensor = items.sensor({ customerId, sensorId });
    const unchanged = before === 0 ? absent : where('#version = :before', { before });
    const failed = await table.write(
      Object.keys(ofSensor).length > 0
        ? { update: sensor, changes: changes({ set: ofSensor, if: present }) }
        : { check: sensor, where: present },
      {
        put: { name, values, version: before + 1, ...items.config({ customerId, sensorId, name }) },
        where: unchanged,
      },
    );
    if (failed === null) return 'done';
    return failed.includes(0) ? 'gone' : 'changed';
  },
});
