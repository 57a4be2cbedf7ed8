import type { Values } from '../config/field.ts';
import { type Room, rotationOf } from '../room.ts';
import type { SensorRecord } from '../sensor.ts';
import type { StoredConfigs } from './maker.ts';
import type { firmwareFields } from './maker-a/config.ts';
import { makers } from './makers.ts';

type Given = {
  sensor: SensorRecord;
  room: Room;
  stored: StoredConfigs;
  /** versionCode of the default firmware of the sensor's manufacturer. */
  defaultFirmware: number | null;
};

/** The version to install at the next start: the one that is pinned for this sensor, else its manufacturer's default. */
const firmwareToInstall = ({ stored: { firmware }, defaultFirmware }: Given): number | null =>
  (firmware as Partial<Values<typeof firmwareFields>> | undefined)?.firmwareVersion ?? defaultFirmware;

/** What a device is told at `now` (ms): its room and configurations, less what its firmware does not understand. */
export const deviceConfig = (given: Given, now: number): Record<string, unknown> => {
  const { sensor, room, stored } = given;
  const { sensorMounting, xMin, xMax, yMin, yMax, sensorHeight, regions } = room;
  const extent = { xMin, xMax, yMin, yMax, sensorHeight };
  const maker = makers[sensor.manufacturer];
  return {
    room: { sensorMounting, rotation: rotationOf(sensorMounting), ...extent, regions, ...maker.roomOf(room) },
    firmwareToInstall: firmwareToInstall(given),
    ...maker.configsOf(sensor, stored, now),
  };
};
