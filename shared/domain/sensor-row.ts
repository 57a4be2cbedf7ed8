import { makers } from './makers/makers.ts';
import { hardwareIdOfDevice, Manufacturer, type Sensor, type SensorRecord } from './sensor.ts';

/** What a list shows of a sensor, and its hardware id, which a search looks at too. */
export type ListedSensor = Sensor & { hardwareId: string };

const FLAGS = { isActive: 1, optimizationEnabled: 2 } as const;
/** The bits above the flags are the place of the manufacturer in its enumeration: new ones go to its end. */
const MANUFACTURER = 4;
const short = (value: number): string => value.toString(36);
const long = (text = ''): number => Number.parseInt(text, 36);

/**
 * A sensor as one short text, so that a list of thousands reads little more than their names. What its key says
 * already is left out: the id, and with it the hardware id where it tells that too. Longest for a name of 64 characters of 4 bytes:
 * well below the 1,024 bytes of a sort key.
 */
export const packSensor = (sensor: SensorRecord): string => {
  const { isActive, optimizationEnabled, createDate, updateDate, firmwareVersion, hardwareId, name } = sensor;
  const flags =
    (isActive ? FLAGS.isActive : 0) |
    (optimizationEnabled ? FLAGS.optimizationEnabled : 0) |
    (MANUFACTURER * Manufacturer.options.indexOf(sensor.manufacturer));
  const numbers = [flags, createDate, updateDate, firmwareVersion].map(short);
  // The name may hold anything, so it comes last.
  return [...numbers, makers[sensor.manufacturer].isIdOfHardware ? '' : hardwareId, name].join(' ');
};

/** Reads a packed sensor; `id` and `customerId` (null: nobody's) are those of its key. */
export const unpackSensor = (row: string, id: string, customerId: number | null): ListedSensor => {
  const [, flagText, created, updated, firmware, uid = '', name = ''] =
    /^(\w+) (\w+) (\w+) (\w+) (\w*) (.*)$/s.exec(row) ?? [];
  const flags = long(flagText);
  const manufacturer = Manufacturer.options[Math.floor(flags / MANUFACTURER)];
  if (!manufacturer) throw new Error('a listed sensor is of an unknown manufacturer');
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
