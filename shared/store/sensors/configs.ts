import type { ConfigName } from '#shared/domain/config/names.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import type { Manufacturer, SensorRecord } from '#shared/domain/sensor/sensor.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import { putNotice } from './events.ts';
import { repin } from './firmwares.ts';
import { readSensor, touchSensor, updateSensor } from './sensor-item.ts';

/** A configuration as it is stored: `version` counts its changes. */
export type ConfigItem<V = Record<string, unknown>> = { name: ConfigName; version: number; values: V };
type SensorKey = { customerId: number; sensorId: string };
/** A configuration that another one replaces. */
type Before = { version: number; values: object };

const pinIn = (name: ConfigName, values: object = {}): number | null =>
  name === 'firmware' && 'firmwareVersion' in values ? (values.firmwareVersion as number | null) : null;

/**
 * Frees the firmware that is pinned by one of the configurations of a sensor: for the transaction that takes them away,
 * under a condition that they are still these.
 */
export const unpin = (manufacturer: Manufacturer, all: readonly Pick<ConfigItem, 'name' | 'values'>[]): Write[] =>
  all.flatMap(({ name, values }) => repin(manufacturer, pinIn(name, values), null));

/** Which ends of learning phases (ms) are to come with a configuration, and which are not any more. */
type LearningEnds = { begun: number | null; dropped: number | null };

const learningUuid = (sensorId: string, end: number): string => uuidV5(sensorId, 'learning', end);
/** The notice that a learning phase is over waits in the due index from its beginning on. */
export const putLearning = (key: SensorKey, end: number): Write =>
  putNotice(key, learningUuid(key.sensorId, end), { notice: 'learning_completed', receiveDate: end });
export const dropLearning = (key: SensorKey, end: number): Write => ({
  remove: items.notice({ ...key, uuid: learningUuid(key.sensorId, end) }),
});
/** The end (ms) of the learning phase that goes on in a sensor with these configurations at `now` (ms); null: none does. */
export const learningIn = (all: readonly ConfigItem[], now: number): number | null => {
  const end = all.find(({ name }) => name === 'basic')?.values.learningUntil;
  return typeof end === 'number' && end > now ? end : null;
};

export const configReads = (table: TableReader) => ({
  /** The configuration of that name; null before the first PUT. */
  get: <V>({ customerId, sensorId }: SensorKey, name: ConfigName) =>
    table.get<ConfigItem<V>>(items.config({ customerId, sensorId, name })),
  list: ({ customerId, sensorId }: SensorKey) =>
    table.queryAll<ConfigItem>({ pk: items.config.pk({ customerId, sensorId }), beginsWith: 'CONFIG#' }),
});

const configWrites = (table: Table) => ({
  /**
   * Replaces a configuration, and in the same transaction the fields of it that the sensor's item holds. `gone`: there is
   * no such sensor; `changed`: the stored version is no longer `before`, which this one was made from (null: none).
   */
  put: async (
    { customerId, sensorId, manufacturer }: SensorKey & { manufacturer: Manufacturer },
    name: ConfigName,
    { values, ofSensor, learning }: { values: object; ofSensor?: Partial<SensorRecord>; learning?: LearningEnds },
    before: Before | null,
  ): Promise<'done' | 'gone' | 'changed'> => {
    const key = { customerId, sensorId };
    const config = {
      put: { name, values, version: (before?.version ?? 0) + 1, ...items.config({ customerId, sensorId, name }) },
      where: before ? where('#version = :before', { before: before.version }) : absent,
    };
    const also = [
      ...repin(manufacturer, pinIn(name, before?.values), pinIn(name, values)),
      ...(learning?.begun ? [putLearning(key, learning.begun)] : []),
      ...(learning?.dropped ? [dropLearning(key, learning.dropped)] : []),
    ];
    if (!ofSensor) {
      const failed = await table.write(touchSensor(customerId, sensorId), config, ...also);
      if (failed === null) return 'done';
      return failed.includes(0) ? 'gone' : 'changed';
    }
    return retryOnConflict(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor) return 'gone';
      const failed = await table.write(updateSensor(sensor, ofSensor), config, ...also);
      if (failed === null) return 'done';
      return failed.includes(1) ? 'changed' : null;
    });
  },
});

export const configs = (table: Table) => ({ ...configReads(table), ...configWrites(table) });
