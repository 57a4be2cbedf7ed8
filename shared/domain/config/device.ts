import { type Room, rotationOf } from '../room.ts';
import type { SensorRecord } from '../sensor.ts';
import { newBasic, type StoredBasic, viewBasic } from './basic-a.ts';
import { criticalFields } from './critical.ts';
import { defaultsOf, type Fields, understood, type Values } from './field.ts';
import * as makerA from './maker-a.ts';
import * as makerB from './maker-b.ts';
import type { ConfigName } from './names.ts';

/** Configurations as they are stored, by name; what was never put is missing. */
export type StoredConfigs = Partial<Record<ConfigName, object>>;
type Given = {
  sensor: SensorRecord;
  room: Room;
  stored: StoredConfigs;
  /** versionCode of the default firmware of the sensor's manufacturer. */
  defaultFirmware: number | null;
};

const part = <F extends Fields>({ sensor }: Given, fields: F, values: object | undefined) =>
  understood(fields, { ...defaultsOf(fields), ...values } as Values<F>, sensor.firmwareVersion);

const roomFor = ({ sensor, room }: Given): object => {
  const { sensorMounting, xMin, xMax, yMin, yMax, sensorHeight, regions } = room;
  const common = {
    sensorMounting,
    rotation: rotationOf(sensorMounting),
    xMin,
    xMax,
    yMin,
    yMax,
    sensorHeight,
    regions,
  };
  const { zMin, zMax, enterDuration, exitDuration } = room;
  return sensor.manufacturer === 'maker_a' ? { ...common, zMin, zMax, enterDuration, exitDuration } : common;
};

const ofMakerA = (given: Given, now: number): object => {
  const { sensor, stored } = given;
  const basic = viewBasic((stored.basic as StoredBasic | undefined) ?? newBasic, sensor, now);
  return {
    basic: part(given, makerA.basicFields, basic),
    dryContact: part(given, makerA.dryContactFields, stored['dry-contact']),
    firmware: part(given, makerA.firmwareFields, stored.firmware),
    telemetry: part(given, makerA.telemetryFields, stored.telemetry),
    critical: part(given, criticalFields, stored.critical),
  };
};

const ofMakerB = (given: Given): object => ({
  basic: part(given, makerB.basicFields, { ...stored(given, 'basic'), name: given.sensor.name }),
  fall: part(given, makerB.fallFields, stored(given, 'fall')),
  vitalData: part(given, makerB.vitalFields, stored(given, 'vital-data')),
});
const stored = (given: Given, name: ConfigName): object => given.stored[name] ?? {};

/** The version to install at the next start: the one that is pinned for this sensor, else its manufacturer's default. */
const firmwareToInstall = ({ stored: { firmware }, defaultFirmware }: Given): number | null =>
  (firmware as Partial<Values<typeof makerA.firmwareFields>> | undefined)?.firmwareVersion ?? defaultFirmware;

/** What a device is told at `now` (ms): its room and configurations, less what its firmware does not understand. */
export const deviceConfig = (given: Given, now: number): Record<string, unknown> => ({
  room: roomFor(given),
  firmwareToInstall: firmwareToInstall(given),
  ...(given.sensor.manufacturer === 'maker_a' ? ofMakerA(given, now) : ofMakerB(given)),
});
