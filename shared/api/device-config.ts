import { hashOf } from '../auth/tokens.ts';
import type { Deps } from '../deps.ts';
import { deviceConfig } from '../domain/makers/device-config.ts';
import { firstRoom } from '../domain/room.ts';
import type { Manufacturer } from '../domain/sensor.ts';
import type { StoreOf } from '../store/store.ts';
import type { ringing } from './operation.ts';

type Told = 'sensors.get' | 'rooms.get' | 'configs.list' | 'firmwares.defaultOf';
type Whose = { customerId: number; sensorId: string; manufacturer: Manufacturer };

/** What a device is told, and a version that changes whenever that does; null when its sensor has gone. */
export const configOf = async (store: StoreOf<Told>, { customerId, sensorId, manufacturer }: Whose, now: number) => {
  const [sensor, room, configs, defaultFirmware] = await Promise.all([
    store.sensors.get(customerId, sensorId),
    store.rooms.get(customerId, sensorId),
    store.configs.list({ customerId, sensorId }),
    store.firmwares.defaultOf(manufacturer),
  ]);
  if (!sensor) return null;
  const stored = Object.fromEntries(configs.map(({ name, values }) => [name, values]));
  const config = deviceConfig({ sensor, room: room ?? firstRoom(sensor), stored, defaultFirmware }, now);
  // Modes end by the clock alone: the version is that of what is said, not of what is stored.
  return { version: hashOf(JSON.stringify(config)), config };
};

export type Ringing = Deps<(typeof ringing)[number]>;

/**
 * Tells a device that what it would fetch has changed: for whoever changed that, once it is written. Never fails, for a
 * device also asks by itself.
 */
export const ring = async ({ store, notify, now, log }: Ringing, whose: Whose): Promise<void> => {
  if (!notify) return;
  const { sensorId } = whose;
  try {
    const config = await configOf(store, whose, now());
    if (config) await notify(sensorId, config.version);
  } catch (error) {
    log('warn', 'a device was not told that its configuration changed', { sensorId }, error);
  }
};
