import * as z from 'zod';
import { id, millis } from './values.ts';

export const Manufacturer = z.enum(['maker_a', 'maker_b']);
export type Manufacturer = z.infer<typeof Manufacturer>;

/** Paths check the length alone: 12..26 characters, exactly 12 where only maker B has the operation. */
export const SensorId = z.string().min(12).max(26);

/** A sensor as D1 "Sensor" gives it. */
export const Sensor = z
  .object({
    id: z.string(),
    createDate: millis,
    updateDate: millis,
    customerId: id.nullable(),
    manufacturer: Manufacturer,
    name: z.string(),
    isActive: z.boolean(),
    firmwareVersion: z.int(),
    optimizationEnabled: z.boolean(),
  })
  .meta({ id: 'Sensor' });
export type Sensor = z.infer<typeof Sensor>;

/** What the cloud keeps of a sensor; `customerId` is null until somebody links it, `groupId` 0 outside of groups. */
export type SensorRecord = Sensor & {
  hardwareId: string;
  groupId: number;
  /** The extent of its room (cm), once somebody measured it. */
  room?: { xMin: number; xMax: number; yMin: number; yMax: number; zMax: number };
};

/** What a device's token opens. `customerId` is 0 until somebody links the sensor; `hash` is the token's. */
export type Device = { sensorId: string; customerId: number; manufacturer: Manufacturer; hash: string };

/** A sensor that nobody linked yet, as it is at its first registration. */
export const newSensor = (
  given: Pick<SensorRecord, 'id' | 'hardwareId' | 'manufacturer' | 'firmwareVersion'>,
  now: number,
): SensorRecord => ({
  ...given,
  createDate: now,
  updateDate: now,
  customerId: null,
  groupId: 0,
  name: `Sensor ${given.hardwareId.slice(-4)}`,
  isActive: false,
  optimizationEnabled: true,
});

/** `id_` and the base64url of the colon-separated hardware id: 26 characters, the device id of D2 Custom 1. */
export const deviceIdOf = (hardwareId: string): string =>
  `id_${Buffer.from((hardwareId.match(/../g) ?? []).join(':')).toString('base64url')}`;

/** The hardware id that a device id was made from: 12 upper-case hex digits. */
export const hardwareIdOfDevice = (deviceId: string): string =>
  Buffer.from(deviceId.slice('id_'.length), 'base64url').toString().replaceAll(':', '');
