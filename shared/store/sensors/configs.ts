import type { ConfigName } from '#shared/domain/config/names.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import type { Manufacturer, SensorRecord } from '#shared/domain/sensor/sensor.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import { putNotice } from './events.ts';
import { movePin } from './firmwares.ts';
import { readSensor, touchSensor, updateSensor } from './sensor-item.ts';

/** A configuration as stored: `version` counts the changes. */
export type ConfigItem<V = Record<string, unknown>> = { name: ConfigName; version: number; values: V };
type SensorKey = { customerId: number; sensorId: string };
/** A configuration to be replaced. */
type PreviousConfig = { version: number; values: object };

const pinnedVersion = (name: ConfigName, values: object = {}): number | null =>
  name === 'firmware' && 'firmwareVersion' in values ? (values.firmwareVersion as number | null) : null;

/**
 * Returns the writes that unpin the firmware in sensor configurations. They belong in the transaction that removes the
 * configurations, on the condition that the configurations are unchanged.
 */
export const unpin = (manufacturer: Manufacturer, configs: readonly Pick<ConfigItem, 'name' | 'values'>[]): Write[] =>
  configs.flatMap(({ name, values }) => movePin(manufacturer, pinnedVersion(name, values), null));

/** The ends (ms) of the learning phases started and canceled by a configuration. */
type LearningEnds = { started: number | null; canceled: number | null };

const learningUuid = (sensorId: string, end: number): string => uuidV5(sensorId, 'learning', end);
/** Returns the notice that a learning phase has ended. It is in the due index from the start of the phase. */
export const putLearningNotice = (key: SensorKey, end: number): Write =>
  putNotice(key, learningUuid(key.sensorId, end), { notice: 'learning_completed', receiveDate: end });
export const removeLearningNotice = (key: SensorKey, end: number): Write => ({
  remove: items.notice({ ...key, uuid: learningUuid(key.sensorId, end) }),
});
/** Returns the end (ms) of the learning phase running at `now` (ms), or null if there is none. */
export const runningLearningEnd = (configs: readonly ConfigItem[], now: number): number | null => {
  const end = configs.find(({ name }) => name === 'basic')?.values.learningUntil;
  return typeof end === 'number' && end > now ? end : null;
};

export const configReads = (table: TableReader) => ({
  /** Returns the configuration with that name, or null before the first PUT. */
  get: <V>({ customerId, sensorId }: SensorKey, name: ConfigName) =>
    table.get<ConfigItem<V>>(items.config({ customerId, sensorId, name })),
  list: ({ customerId, sensorId }: SensorKey) =>
    table.queryAll<ConfigItem>({ pk: items.config.pk({ customerId, sensorId }), beginsWith: 'CONFIG#' }),
});

const configWrites = (table: Table) => ({
  /**
   * Replaces a configuration and, in the same transaction, the copies in the sensor item (`ofSensor`). `gone`: the
   * sensor does not exist; `changed`: the stored version is no longer `before` (null: none).
   */
  put: async (
    { customerId, sensorId, manufacturer }: SensorKey & { manufacturer: Manufacturer },
    name: ConfigName,
    { values, ofSensor, learning }: { values: object; ofSensor?: Partial<SensorRecord>; learning?: LearningEnds },
    before: PreviousConfig | null,
  ): Promise<'done' | 'gone' | 'changed'> => {
    const key = { customerId, sensorId };
    const config = {
      put: { name, values, version: (before?.version ?? 0) + 1, ...items.config({ customerId, sensorId, name }) },
      where: before ? where('#version = :before', { before: before.version }) : absent,
    };
    const further = [
      ...movePin(manufacturer, pinnedVersion(name, before?.values), pinnedVersion(name, values)),
      ...(learning?.started ? [putLearningNotice(key, learning.started)] : []),
      ...(learning?.canceled ? [removeLearningNotice(key, learning.canceled)] : []),
    ];
    if (!ofSensor) {
      const failed = await table.write(touchSensor(customerId, sensorId), config, ...further);
      if (failed === null) return 'done';
      return failed.includes(0) ? 'gone' : 'changed';
    }
    return retryOnConflict(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor) return 'gone';
      const failed = await table.write(updateSensor(sensor, ofSensor), config, ...further);
      if (failed === null) return 'done';
      return failed.includes(1) ? 'changed' : null;
    });
  },
});

export const configs = (table: Table) => ({ ...configReads(table), ...configWrites(table) });
