import { hashSecret } from '#shared/auth/tokens.ts';
import { deviceConfig } from '#shared/domain/makers/device-config.ts';
import { firstRoom } from '#shared/domain/sensor/room-geometry.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { StoreOf } from '#shared/store/store.ts';
import type { notifyUses } from '../operation.ts';

type ConfigReads = 'sensors.get' | 'rooms.get' | 'configs.list' | 'firmwares.defaultOf';
type SensorRef = { customerId: number; sensorId: string; manufacturer: Manufacturer };

/**
 * Returns the configuration that a device fetches, and a version that changes with it. Null if the sensor no longer
 * exists.
 */
export const readDeviceConfig = async (
  store: StoreOf<ConfigReads>,
  { customerId, sensorId, manufacturer }: SensorRef,
  now: number,
) => {
  const [sensor, room, configs, defaultFirmware] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    store.rooms.get(customerId, sensorId),
    store.configs.list({ customerId, sensorId }),
    store.firmwares.defaultOf(manufacturer),
  ]);
  if (!sensor) return null;
  const stored = Object.fromEntries(configs.map(({ name, values }) => [name, values]));
  const config = deviceConfig({ sensor, room: room ?? firstRoom(sensor), stored, defaultFirmware }, now);
  // Modes end after a time, without a write, so the version is a hash of the configuration itself.
  return { version: hashSecret(JSON.stringify(config)), config };
};

export type NotifyDeps = Deps<(typeof notifyUses)[number]>;

/**
 * Notifies a device of a configuration that was written. Never rejects, because devices also poll for their
 * configuration.
 */
export const notifyDevice = async ({ store, notify, now, log }: NotifyDeps, sensor: SensorRef): Promise<void> => {
  if (!notify) return;
  const { sensorId } = sensor;
  try {
    const config = await readDeviceConfig(store, sensor, now());
    if (config) await notify(sensorId, config.version);
  } catch (error) {
    log('warn', 'could not notify a device that its configuration changed', { sensorId }, error);
  }
};
