import { makers } from '../makers/makers.ts';
import { hardwareIdOfDevice, Manufacturer, type Sensor, type SensorRecord } from './sensor.ts';

/** The fields of a sensor that a list shows, and the hardware id, in which a search looks too. */
export type ListedSensor = Sensor & { hardwareId: string };

const FLAGS = { isActive: 1, optimizationEnabled: 2 } as const;
/**
 * The bits above the flags hold the index of the manufacturer in its enumeration, so new manufacturers must be added at
 * the end.
 */
const MANUFACTURER = 4;
const short = (value: number): string => value.toString(36);
const long = (text = ''): number => Number.parseInt(text, 36);

/**
 * Packs a sensor into one short text, so that a list of thousands reads little more than their names. The text leaves
 * out what the key contains: the id, and the hardware id if it can be derived from the id. It is longest for a name of
 * 64 characters of 4 bytes, and well below the 1,024 bytes of a sort key then.
 */
export const packSensor = (sensor: SensorRecord): string => {
  const { isActive, optimizationEnabled, createDate, updateDate, firmwareVersion, hardwareId, name } = sensor;
  const flags =
    (isActive ? FLAGS.isActive : 0) |
    (optimizationEnabled ? FLAGS.optimizationEnabled : 0) |
    (MANUFACTURER * Manufacturer.options.indexOf(sensor.manufacturer));
  const numbers = [flags, createDate, updateDate, firmwareVersion].map(short);
  // The name may contain any character, so it comes last.
  return [...numbers, makers[sensor.manufacturer].isIdOfHardware ? '' : hardwareId, name].join(' ');
};

/** Unpacks a sensor; `id` and `customerId` (null: linked to no customer) are taken from its key. */
export const unpackSensor = (row: string, id: string, customerId: number | null): ListedSensor => {
  const [, flagText, created, updated, firmware, uid = '', name = ''] =
    /^(\w+) (\w+) (\w+) (\w+) (\w*) (.*)$/s.exec(row) ?? [];
  const flags = long(flagText);
  const manufacturer = Manufacturer.options[Math.floor(flags / MANUFACTURER)];
  if (!manufacturer) throw new Error('a row has an unknown manufacturer');
  return {
    id,
    createDate: long(created),
    updateDate: long(updated),
    customerId,
    manufacturer,
    name,
    isActive: (flags & FLAGS.isActive) !== 0,
    firmwareVersion: long(firmware),
    optimizationEnabled: (flags & FLAGS.optimizationEnabled) !== 0,
    hardwareId: makers[manufacturer].isIdOfHardware ? hardwareIdOfDevice(id) : uid,
  };
};
