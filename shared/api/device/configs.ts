import { type ConfigValues, type Fields, validValues } from '#shared/domain/config/field.ts';
import type { ConfigName } from '#shared/domain/config/names.ts';
import type { Manufacturer, SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { type NotifyDeps, notifyDevice } from './device-config.ts';

type Fail = (
  code: 'sensor_not_found' | 'sensor_wrong_manufacturer' | 'unavailable',
  details?: { waitSeconds: number },
) => never;
/** The part of a request these functions need. */
type ConfigCall = { customerId: number; params: { sensorId: string }; fail: Fail };
/** The part of a request that changes a configuration. */
type ConfigChangeCall = ConfigCall & { auditChange: (before: object, after: object) => void };
type ConfigReads = StoreOf<'sensors.get' | 'configs.get'>;
type ConfigDeps = { store: ConfigReads & StoreOf<'configs.put'> } & NotifyDeps;
type ConfigChange<V> = {
  values: V;
  ofSensor?: Partial<SensorRecord>;
  learning?: { started: number | null; canceled: number | null };
};

/**
 * Returns a sensor and one of its configurations. Fails the request with 404 if the sensor does not exist, and with 400
 * if it is from another maker.
 */
export const readConfig = async <V extends object>(
  { customerId, params: { sensorId }, fail }: ConfigCall,
  store: ConfigReads,
  maker: Manufacturer,
  name: ConfigName,
): Promise<{ sensor: SensorRecord; values: V | null; version: number }> => {
  const [sensor, stored] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    store.configs.get<V>({ customerId, sensorId }, name),
  ]);
  if (!sensor) return fail('sensor_not_found');
  if (sensor.manufacturer !== maker) return fail('sensor_wrong_manufacturer');
  return { sensor, values: stored?.values ?? null, version: stored?.version ?? 0 };
};

/**
 * Changes a configuration and notifies the device. `change` gets the current values, and is called again with newer
 * values after a concurrent change.
 */
export const changeConfig = async <V extends object>(
  call: ConfigCall,
  deps: ConfigDeps,
  { maker, name }: { maker: Manufacturer; name: ConfigName },
  change: (before: V | null) => ConfigChange<V>,
): Promise<V> => {
  const { customerId, params, fail } = call;
  const { store } = deps;
  const tryOnce = async (): Promise<V | null> => {
    const { values, version } = await readConfig<V>(call, store, maker, name);
    const next = change(values);
    const before = values && { values, version };
    const result = await store.configs.put(
      { customerId, sensorId: params.sensorId, manufacturer: maker },
      name,
      next,
      before,
    );
    if (result === 'gone') return fail('sensor_not_found');
    return result === 'done' ? next.values : null;
  };
  const changed = await retryOnConflict(tryOnce);
  await notifyDevice(deps, { customerId, sensorId: params.sensorId, manufacturer: maker });
  return changed;
};

/** `adjust` changes a configuration before it is stored. `ofSensor` returns changes to the sensor item. */
type ConfigEffects<F extends Fields> = {
  adjust?: (values: ConfigValues<F>) => ConfigValues<F>;
  ofSensor?: (values: ConfigValues<F>) => Partial<SensorRecord>;
};

/** Returns the handlers for a configuration stored as sent, unless `adjust` changes it. */
export const plainConfigHandlers = <F extends Fields>(
  maker: Manufacturer,
  name: ConfigName,
  fields: F,
  { adjust = (values) => values, ofSensor }: ConfigEffects<F> = {},
) => ({
  get: async (call: ConfigCall, { store }: { store: ConfigReads }): Promise<ConfigValues<F>> => {
    const { values } = await readConfig<ConfigValues<F>>(call, store, maker, name);
    return validValues(fields, values);
  },
  put: (call: ConfigChangeCall & { body: ConfigValues<F> }, deps: ConfigDeps): Promise<ConfigValues<F>> =>
    changeConfig<ConfigValues<F>>(call, deps, { maker, name }, (before) => {
      const values = adjust(call.body);
      // A field that was never stored is audited as a change from the default.
      call.auditChange(validValues(fields, before), values);
      return { values, ...(ofSensor && { ofSensor: ofSensor(call.body) }) };
    }),
});
