import * as z from 'zod';
import { id, millis } from '../values.ts';
import type { RegionBounds } from './region-of-point.ts';
import type { Extent } from './room-geometry.ts';

export const Manufacturer = z.enum(['maker_a', 'maker_b']);
export type Manufacturer = z.infer<typeof Manufacturer>;

/**
 * A sensor id in a path. Only the length is checked: 12..26 characters, and exactly 12 in operations that only maker B
 * has.
 */
export const SensorId = z.string().min(12).max(26);

/** The minimum and maximum number of characters in a sensor name. */
export const SENSOR_NAME_LENGTH = [3, 64] as const;

/**
 * A sensor (D1 "Sensor"). New fields need a default, because stored sensors lack them. They are optional in
 * `SensorRecord`, and the code that reads them decides what their absence means.
 */
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

/**
 * A sensor as stored. `customerId` is null until a customer links the sensor; `groupId` is 0 if the sensor is in no
 * group.
 */
export type SensorRecord = z.input<typeof Sensor> & {
  hardwareId: string;
  groupId: number;
  /** The room extent in cm and the region bounds, needed to locate falls. Missing until the room is set. */
  room?: Extent & { regions: readonly RegionBounds[] };
  /** The configuration silences falls, or turns fall detection off. */
  isSilent?: boolean;
  isFallDetectionOff?: boolean;
  /** Most sensor messages in the last 24 hours, or most of those about falls, were not understood. */
  isMisunderstood?: boolean;
  /** The newest fall report is marked as silent, and the critical configuration has not changed since. */
  marksSilent?: boolean;
};

/**
 * The sensor a device token belongs to. `customerId` is 0 until a customer links it; `hash` is the token hash. `moved`
 * holds the previous customer, and when (ms) the sensor left that customer.
 */
export type Device = {
  sensorId: string;
  customerId: number;
  manufacturer: Manufacturer;
  hash: string;
  moved?: { from: number; at: number };
  /** The hash of the token replaced by this one. Present until this token is used. */
  replaces?: string;
  /**
   * Set once the device has been given a new token. The old token stays valid until the new token is used, but not
   * beyond this time (ms).
   */
  replacedUntil?: number;
  /** The id of the newest device call recorded before it was queued, and when (ms) it was recorded. */
  notedCall?: string;
  notedAt?: number;
  /** How many device calls have been recorded since the customer linked the device. */
  calls?: number;
  /** Too many of these calls have not been processed yet: see shared/ingest/ingest.ts. */
  isHeldBack?: boolean;
  /** The id of the newest MQTT connection, and when (ms) it was authorized. */
  connectionId?: string;
  connectDate?: number;
  /** The device is the service canary, not a device in a home. */
  isCanary?: boolean;
};

/** A device making a call. `isBusy`: it has called this process very often within a minute. */
export type CallingDevice = Device & { isBusy?: boolean };

/** Returns the sensor for a first registration. No customer has linked it yet. */
export const newSensor = (
  device: Pick<SensorRecord, 'id' | 'hardwareId' | 'manufacturer' | 'firmwareVersion'>,
  now: number,
): SensorRecord => ({
  ...device,
  createDate: now,
  updateDate: now,
  customerId: null,
  groupId: 0,
  name: `Sensor ${device.hardwareId.slice(-4)}`,
  isActive: false,
  optimizationEnabled: true,
});

/**
 * What happens to each field when a sensor moves to another customer. `device` fields are kept. `setting` fields
 * describe a room and its resident. They are kept only if the sensor had no customer, because in that case a system
 * admin set them for the new customer. `new` fields are reset as for a new sensor.
 */
const onMove: Record<keyof SensorRecord, 'device' | 'setting' | 'new'> = {
  id: 'device',
  hardwareId: 'device',
  manufacturer: 'device',
  firmwareVersion: 'device',
  createDate: 'device',
  name: 'setting',
  optimizationEnabled: 'setting',
  room: 'setting',
  isSilent: 'setting',
  isFallDetectionOff: 'setting',
  isMisunderstood: 'new',
  marksSilent: 'new',
  customerId: 'new',
  groupId: 'new',
  isActive: 'new',
  updateDate: 'new',
};

/** Returns a sensor as the next customer gets it; `customerId` is null if there is none. */
export const movedSensor = (sensor: SensorRecord, customerId: number | null, now: number): SensorRecord => {
  const kept = sensor.customerId === null ? ['device', 'setting'] : ['device'];
  const fields = Object.entries(sensor).filter(([field]) => kept.includes(onMove[field as keyof SensorRecord]));
  const { id, hardwareId, manufacturer, firmwareVersion, createDate } = sensor;
  return {
    ...newSensor({ id, hardwareId, manufacturer, firmwareVersion }, createDate),
    ...(Object.fromEntries(fields) as Partial<SensorRecord>),
    customerId,
    updateDate: now,
  };
};

/**
 * Returns the D2 Custom 1 device id for a hardware id: `id_` and the base64url of the hardware id with colons, 26
 * characters in total.
 */
export const deviceIdOf = (hardwareId: string): string =>
  `id_${Buffer.from((hardwareId.match(/../g) ?? []).join(':')).toString('base64url')}`;

/** Returns the hardware id in a device id: 12 uppercase hex digits. */
export const hardwareIdOfDevice = (deviceId: string): string =>
  Buffer.from(deviceId.slice('id_'.length), 'base64url').toString().replaceAll(':', '');
