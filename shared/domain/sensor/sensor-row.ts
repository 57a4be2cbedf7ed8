import { makers } from '../makers/makers.ts';
import { hardwareIdOfDevice, Manufacturer, type Sensor, type SensorRecord } from './sensor.ts';

/** The sensor fields in a list, the hardware id for searches, and the obstacles that keep falls from being reported. */
export type ListedSensor = Sensor & { hardwareId: string } & Pick<SensorRecord, keyof typeof OBSTACLES>;

/** The columns in a row, in order, separated by spaces. The name may contain spaces, so it comes last. */
const columns = [
  'flags',
  'createDate',
  'updateDate',
  'firmwareVersion',
  'hardwareId',
  'name',
] as const satisfies readonly (keyof ListedSensor | 'flags')[];
/**
 * Columns added later, each after U+001F, which no name contains. New columns go at the end. Rows from earlier versions
 * lack them, so '' means the sensor does not have the field. Earlier versions ignore new columns.
 */
const laterColumns = ['obstacles'] as const;
const SEPARATOR = '\u001f';
type Row = Record<(typeof columns)[number] | (typeof laterColumns)[number], string>;

/** The bits in `obstacles`: why falls at a sensor are not reported. */
const OBSTACLES = { isSilent: 1, isFallDetectionOff: 2, isMisunderstood: 4, marksSilent: 8 } as const;

type Obstacle = keyof typeof OBSTACLES;
const obstacles = Object.keys(OBSTACLES) as Obstacle[];
const packObstacles = (sensor: Pick<SensorRecord, Obstacle>): string => {
  const bits = obstacles.reduce((sum, name) => sum + (sensor[name] ? OBSTACLES[name] : 0), 0);
  return bits === 0 ? '' : encode(bits);
};
const unpackObstacles = (text: string): Pick<SensorRecord, Obstacle> => {
  const bits = text === '' ? 0 : decode(text);
  return Object.fromEntries(obstacles.filter((name) => (bits & OBSTACLES[name]) !== 0).map((name) => [name, true]));
};

const joinRow = (row: Row): string => {
  const later = laterColumns.map((column) => row[column]);
  // Empty columns at the end are left out.
  while (later.at(-1) === '') later.pop();
  return [columns.map((column) => row[column]).join(' '), ...later].join(SEPARATOR);
};
const splitRow = (text: string): Row => {
  const [first = '', obstacles = ''] = text.split(SEPARATOR);
  const [flags = '', createDate = '', updateDate = '', firmwareVersion = '', hardwareId = '', ...name] =
    first.split(' ');
  return { flags, createDate, updateDate, firmwareVersion, hardwareId, name: name.join(' '), obstacles };
};

const encode = (value: number): string => value.toString(36);
const decode = (text: string): number => Number.parseInt(text, 36);

/** The bits in `flags`. The higher bits hold the manufacturer index, so new manufacturers go at the end. */
const FLAGS = { isActive: 1, optimizationEnabled: 2 } as const;
const MANUFACTURER = 4;
type Flags = Pick<ListedSensor, keyof typeof FLAGS | 'manufacturer'>;

const packFlags = ({ isActive, optimizationEnabled, manufacturer }: Flags): number =>
  (isActive ? FLAGS.isActive : 0) |
  (optimizationEnabled ? FLAGS.optimizationEnabled : 0) |
  (MANUFACTURER * Manufacturer.options.indexOf(manufacturer));

const unpackFlags = (flags: number): Flags => {
  const manufacturer = Manufacturer.options[Math.floor(flags / MANUFACTURER)];
  if (!manufacturer) throw new Error('a row has an unknown manufacturer');
  return {
    isActive: (flags & FLAGS.isActive) !== 0,
    optimizationEnabled: (flags & FLAGS.optimizationEnabled) !== 0,
    manufacturer,
  };
};

/**
 * Packs a sensor into one short string, so that reading a list with thousands of sensors means reading little more than
 * their names. It leaves out everything in the key: the id, and the hardware id if it can be derived from the id. Even
 * with the longest name, 64 characters of 4 bytes, it stays far below the 1,024 bytes allowed for a sort key.
 */
export const packSensor = (sensor: SensorRecord): string =>
  joinRow({
    flags: encode(packFlags(sensor)),
    createDate: encode(sensor.createDate),
    updateDate: encode(sensor.updateDate),
    firmwareVersion: encode(sensor.firmwareVersion),
    hardwareId: makers[sensor.manufacturer].isIdOfHardware ? '' : sensor.hardwareId,
    name: sensor.name,
    obstacles: packObstacles(sensor),
  });

/** Unpacks a sensor. `id` and `customerId` (null if not linked to a customer) come from the key. */
export const unpackSensor = (text: string, id: string, customerId: number | null): ListedSensor => {
  const row = splitRow(text);
  const flags = unpackFlags(decode(row.flags));
  return {
    id,
    customerId,
    ...flags,
    createDate: decode(row.createDate),
    updateDate: decode(row.updateDate),
    firmwareVersion: decode(row.firmwareVersion),
    hardwareId: makers[flags.manufacturer].isIdOfHardware ? hardwareIdOfDevice(id) : row.hardwareId,
    name: row.name,
    ...unpackObstacles(row.obstacles),
  };
};
