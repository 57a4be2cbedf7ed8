import type { Device, Manufacturer, SensorRecord } from '../domain/sensor.ts';
import { type ListedSensor, unpackSensor } from '../domain/sensor-row.ts';
import type { Table, TableReader } from './client.ts';
import type { Key } from './key.ts';
import { absent, type Write, where } from './request.ts';
import { inTurn } from './retry.ts';
import { type DeviceLink, type FormerSensor, type Moved, moveSensor, removeSensor } from './sensor-homes.ts';
import { newSensorItem, readSensor, updateSensor } from './sensor-item.ts';
import { items, lists } from './table.ts';

export type Pairing = { hash: string; expires: number };
export type PairingItem = { sensorId: string; manufacturer: Manufacturer; expires: number };

/** How long an expired pairing code stays, so that the table's own clean-up decides nothing. */
const ttlOf = (expires: number) => Math.ceil(expires / 1_000) + 3_600;

const pairingPut = (sensor: SensorRecord, { hash, expires }: Pairing): Write => {
  const { id: sensorId, manufacturer } = sensor;
  return {
    put: { ...items.pairingCode({ hash }), sensorId, manufacturer, expires, ttl: ttlOf(expires) },
    where: absent,
  };
};
const devicePut = (sensor: SensorRecord, hash: string): Write => {
  const { id: sensorId, manufacturer, customerId } = sensor;
  return {
    put: { ...items.device({ hash }), hash, sensorId, manufacturer, customerId: customerId ?? 0 },
    where: absent,
  };
};
const linkPut = ({ id: sensorId }: SensorRecord, link: DeviceLink, before: DeviceLink | null): Write => ({
  put: { ...link, ...items.deviceOfSensor({ sensorId }) },
  where: before
    ? where('#hash = :hash AND #pairingHash = :pairing', { hash: before.hash, pairing: before.pairingHash })
    : absent,
});

const listedSensor = ({ listSk, ...key }: Key & { listSk: string }): ListedSensor[] => {
  const found = items.sensor.read(key);
  return found ? [unpackSensor(listSk, found.sensorId, Number(found.customerId) || null)] : [];
};

export const sensorReads = (table: TableReader) => ({
  get: (customerId: number, sensorId: string) => table.get<SensorRecord>(items.sensor({ customerId, sensorId })),
  getEventual: (customerId: number, sensorId: string) =>
    table.getEventual<SensorRecord>(items.sensor({ customerId, sensorId })),
  /** See FormerSensor. */
  former: (customerId: number, sensorId: string) =>
    table.get<FormerSensor>(items.formerSensor({ customerId, sensorId })),
  getAll: (customerId: number, sensorIds: readonly string[]) =>
    table.getAll<SensorRecord>(sensorIds.map((sensorId) => items.sensor({ customerId, sensorId }))),
  /** All of a customer, from the rows of the index alone: thousands cost what their names weigh. */
  list: async (customerId: number): Promise<ListedSensor[]> => {
    const rows = await table.queryAll<{ listSk: string }>({
      index: 'list',
      pk: lists.sensorsOfCustomer({ customerId }),
    });
    return rows.flatMap(listedSensor);
  },
  deviceOf: (hash: string) => table.get<Device>(items.device({ hash })),
  idOfHardware: async (manufacturer: Manufacturer, hardwareId: string): Promise<string | null> =>
    (await table.get<{ sensorId: string }>(items.hardware({ manufacturer, hardwareId })))?.sensorId ?? null,
  pairing: (hash: string) => table.get<PairingItem>(items.pairingCode({ hash })),
});

/** What a device asks for itself. */
const deviceWrites = (table: Table) => ({
  /** Registers a device for the first time; false when its hardware id, or the drawn id, is taken. */
  register: async (sensor: SensorRecord, hash: string, pairing: Pairing): Promise<boolean> => {
    const { id: sensorId, manufacturer, hardwareId } = sensor;
    const failed = await table.write(
      { put: { ...items.hardware({ manufacturer, hardwareId }), sensorId }, where: absent },
      { put: { ...items.home({ kind: 'sensor', id: sensorId }), customerId: 0 }, where: absent },
      { put: newSensorItem(sensor), where: absent },
      devicePut(sensor, hash),
      linkPut(sensor, { hash, pairingHash: pairing.hash }, null),
      pairingPut(sensor, pairing),
    );
    return failed === null;
  },

  /** Gives a known device a new token and code, or (token null) a new code only; the old ones are nothing then. */
  renew: async (
    sensor: SensorRecord,
    hash: string | null,
    pairing: Pairing,
    firmwareVersion: number,
  ): Promise<boolean> => {
    const before = await table.get<DeviceLink>(items.deviceOfSensor({ sensorId: sensor.id }));
    const item = await readSensor(table, sensor.customerId, sensor.id);
    if (!before || !item) return false;
    const writes: Write[] = [
      linkPut(sensor, { hash: hash ?? before.hash, pairingHash: pairing.hash }, before),
      { remove: items.pairingCode({ hash: before.pairingHash }) },
      pairingPut(sensor, pairing),
      updateSensor(item, { firmwareVersion }),
    ];
    if (hash !== null) writes.push({ remove: items.device({ hash: before.hash }) }, devicePut(sensor, hash));
    return (await table.write(...writes)) === null;
  },

  usePairing: async (hash: string): Promise<void> => {
    await table.write({ remove: items.pairingCode({ hash }) });
  },
});

export const sensorWrites = (table: Table) => ({
  ...deviceWrites(table),

  /** See sensor-homes.ts. */
  move: (from: number, sensorId: string, to: number, now: number, pairingHash?: string): Promise<Moved> =>
    moveSensor(table, { customerId: from, sensorId }, to, now, pairingHash),
  remove: (customerId: number, sensorId: string, now: number) => removeSensor(table, { customerId, sensorId }, now),

  /** Sets what the list of sensors shows of a sensor's activity since `time` (ms); what is older changes nothing. */
  setActive: async (customerId: number, sensorId: string, isActive: boolean, time: number): Promise<void> => {
    await inTurn(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor || (sensor.activityDate ?? 0) > time) return true;
      const set = { isActive, activityDate: time, updateDate: time };
      return (await table.write(updateSensor(sensor, set))) === null || null;
    });
  },

  /** Notes which firmware (v0.N) a device runs by now. */
  setFirmware: async (customerId: number, sensorId: string, firmwareVersion: number): Promise<void> => {
    await inTurn(async () => {
      const sensor = await readSensor(table, customerId, sensorId);
      if (!sensor || sensor.firmwareVersion === firmwareVersion) return true;
      return (await table.write(updateSensor(sensor, { firmwareVersion }))) === null || null;
    });
  },
});
