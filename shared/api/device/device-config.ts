import { hashSecret } from '#shared/auth/tokens.ts';
import { deviceConfig } from '#shared/domain/makers/device-config.ts';
import { firstRoom } from '#shared/domain/sensor/room-geometry.ts';
import type { Manufacturer } from '#shared/domain/sensor/sensor.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { notifyUses } from '../operation.ts';

type ConfigDeps = Deps<'sensors.get' | 'rooms.get' | 'configs.list' | 'firmwares.defaultOf' | 'configure:devices'>;
type SensorRef = { customerId: number; sensorId: string; manufacturer: Manufacturer };

/**
 * Returns the configuration a device fetches, and a version that changes with it. Null if the sensor no longer exists.
 */
export const readDeviceConfig = async (
  { store, settings, now }: ConfigDeps,
  { customerId, sensorId, manufacturer }: SensorRef,
) => {
  const [sensor, room, configs, defaultFirmware] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    store.rooms.get(customerId, sensorId),
    store.configs.list({ customerId, sensorId }),
    store.firmwares.defaultOf(manufacturer),
  ]);
  if (!sensor) return null;
  const stored = Object.fromEntries(configs.map(({ name, values }) => [name, values]));
  const { MAX_REPORT_DELAY_SECONDS, SENSOR_INACTIVE_AFTER_SECONDS } = settings;
  // A device that holds back reports for longer than this could count as inactive.
  const maxReportDelay = Math.min(MAX_REPORT_DELAY_SECONDS, Math.floor(SENSOR_INACTIVE_AFTER_SECONDS / 2));
  const input = { sensor, room: room ?? firstRoom(sensor), stored, defaultFirmware, maxReportDelay };
  const config = deviceConfig(input, now());
  // Modes expire without a write, so the version is a hash of the configuration itself.
  return { version: hashSecret(JSON.stringify(config)), config };
};

export type NotifyDeps = Deps<(typeof notifyUses)[number]>;

/**
 * Notifies a device that its configuration was written. Never rejects, because devices also poll for their
 * configuration.
 */
export const notifyDevice = async (deps: NotifyDeps, sensor: SensorRef): Promise<void> => {
  const { notify, log } = deps;
  if (!notify) return;
  const { sensorId } = sensor;
  try {
    const config = await readDeviceConfig(deps, sensor);
    if (config) await notify(sensorId, config.version);
  } catch (error) {
    log('warn', 'could not notify a device that its configuration changed', { sensorId }, error);
  }
};
