import type { ConfigValues } from '../config/field.ts';
import type { Room } from '../sensor/room.ts';
import { rotationOf } from '../sensor/room-geometry.ts';
import type { Manufacturer, SensorRecord } from '../sensor/sensor.ts';
import type { DeviceConfigParts, StoredConfigs } from './maker.ts';
import type { firmwareFields } from './maker-a/config.ts';
import { configOfMakerA } from './maker-a/device-config.ts';
import { configOfMakerB } from './maker-b/device-config.ts';

const parts: Readonly<Record<Manufacturer, DeviceConfigParts>> = { maker_a: configOfMakerA, maker_b: configOfMakerB };

type DeviceConfigInput = {
  sensor: SensorRecord;
  room: Room;
  stored: StoredConfigs;
  /** The maker's default firmware, as a versionCode. */
  defaultFirmware: number | null;
  /** How long (s) the device may hold back reports that contain no changes. */
  maxReportDelay: number;
};

/** Returns the firmware to install at the next start: the version pinned for this sensor, or the maker's default. */
const firmwareToInstall = ({ stored: { firmware }, defaultFirmware }: DeviceConfigInput): number | null =>
  (firmware as Partial<ConfigValues<typeof firmwareFields>> | undefined)?.firmwareVersion ?? defaultFirmware;

/**
 * Returns the device configuration at `now` (ms): the room and the sensor configurations, excluding fields the firmware
 * does not support.
 */
export const deviceConfig = (input: DeviceConfigInput, now: number): Record<string, unknown> => {
  const { sensor, room, stored } = input;
  const { sensorMounting, xMin, xMax, yMin, yMax, sensorHeight, regions } = room;
  const extent = { xMin, xMax, yMin, yMax, sensorHeight };
  const { roomOf, configsOf } = parts[sensor.manufacturer];
  return {
    room: { sensorMounting, rotation: rotationOf(sensorMounting), ...extent, regions, ...roomOf(room) },
    firmwareToInstall: firmwareToInstall(input),
    maxReportDelay: input.maxReportDelay,
    ...configsOf(sensor, stored, now),
  };
};
