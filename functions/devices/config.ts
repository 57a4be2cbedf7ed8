import { hashOf } from '../../shared/auth/tokens.ts';
import { deviceConfig } from '../../shared/domain/config/device.ts';
import { firstRoom } from '../../shared/domain/room.ts';
import type { Device } from '../../shared/domain/sensor.ts';
import type { StoreOf } from '../../shared/store/store.ts';

type Told = 'sensors.get' | 'rooms.get' | 'configs.list' | 'firmwares.defaultOf';
/** What a device is told, and a version that changes whenever that does; null when its sensor has gone. */
export const configOf = async (store: StoreOf<Told>, { customerId, sensorId, manufacturer }: Device, now: number) => {
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
