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
  /** The versionCode of the default firmware of the sensor's maker. */
  defaultFirmware: number | null;
  /** The longest time (s) for which the device may hold back reports without changes. */
  maxReportDelay: number;
};

/**
 * Returns the firmware to install at the next start: the firmware pinned for this sensor, or the default of its maker.
 */
const firmwareToInstall = ({ stored: { firmware }, defaultFirmware }: DeviceConfigInput): number | null =>
  (firmware as Partial<ConfigValues<typeof firmwareFields>> | undefined)?.firmwareVersion ?? defaultFirmware;

/**
 * Returns the configuration of a device at `now` (ms): its room and its configurations, without fields that its
 * firmware does not support.
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
