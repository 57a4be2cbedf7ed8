import type { Device, Manufacturer, SensorRecord } from '../domain/sensor.ts';
import type { Table, TableReader } from './client.ts';
import { memberChange } from './customers.ts';
import { absent, changes, present, type Write, where } from './request.ts';
import { items } from './table.ts';

/** The device of a sensor: which token and pairing code are its own now. */
type DeviceLink = { hash: string; pairingHash: string };

export type Pairing = { hash: string; expires: number };
export type PairingItem = { sensorId: string; manufacturer: Manufacturer; expires: number };

const keyOf = (sensor: { customerId: number | null; id: string }) =>
  items.sensor({ customerId: sensor.customerId ?? 0, sensorId: sensor.id });

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

export const sensorReads = (table: TableReader) => ({
  get: (customerId: number, sensorId: string) => table.get<SensorRecord>(items.sensor({ customerId, sensorId })),
  getAll: (customerId: number, sensorIds: readonly string[]) =>
    table.getAll<SensorRecord>(sensorIds.map((sensorId) => items.sensor({ customerId, sensorId }))),
  list: (customerId: number) =>
    table.queryAll<SensorRecord>({ pk: items.sensor.pk({ customerId }), beginsWith: 'SENSOR#' }),
  /** Consistent: a token that was rotated away opens nothing any more. */
  deviceOf: (hash: string) => table.get<Device>(items.device({ hash }), true),
  idOfHardware: async (manufacturer: Manufacturer, hardwareId: string): Promise<string | null> =>
    (await table.get<{ sensorId: string }>(items.hardware({ manufacturer, hardwareId }), true))?.sensorId ?? null,
  pairing: (hash: string) => table.get<PairingItem>(items.pairingCode({ hash }), true),
});

export const sensorWrites = (table: Table) => ({
  /** Registers a device for the first time; false when its hardware id, or the drawn id, is taken. */
  register: async (sensor: SensorRecord, hash: string, pairing: Pairing): Promise<boolean> => {
    const { id: sensorId, manufacturer, hardwareId } = sensor;
    const failed = await table.write(
      { put: { ...items.hardware({ manufacturer, hardwareId }), sensorId }, where: absent },
      { put: { ...items.home({ kind: 'sensor', id: sensorId }), customerId: 0 }, where: absent },
      { put: { ...sensor, ...keyOf(sensor) }, where: absent },
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
    const before = await table.get<DeviceLink>(items.deviceOfSensor({ sensorId: sensor.id }), true);
    if (!before) return false;
    const writes: Write[] = [
      linkPut(sensor, { hash: hash ?? before.hash, pairingHash: pairing.hash }, before),
      { remove: items.pairingCode({ hash: before.pairingHash }) },
      pairingPut(sensor, pairing),
      { update: keyOf(sensor), changes: changes({ set: { firmwareVersion }, if: present }) },
    ];
    if (hash !== null) writes.push({ remove: items.device({ hash: before.hash }) }, devicePut(sensor, hash));
    return (await table.write(...writes)) === null;
  },

  /** Moves a sensor that is nobody's to a customer; uses the code up. False when somebody else was faster. */
  link: async (sensor: SensorRecord, customerId: number, pairingHash: string, now: number): Promise<boolean> => {
    const { id: sensorId } = sensor;
    const device = await table.get<DeviceLink>(items.deviceOfSensor({ sensorId }), true);
    if (!device) return false;
    const linked: SensorRecord = { ...sensor, customerId, isActive: false, updateDate: now };
    const nobodys = where('#customerId = :nobody', { nobody: 0 });
    const failed = await table.write(
      { remove: items.pairingCode({ hash: pairingHash }), where: present },
      { remove: keyOf(sensor), where: present },
      { put: { ...linked, ...keyOf(linked) }, where: absent },
      { update: items.home({ kind: 'sensor', id: sensorId }), changes: changes({ set: { customerId }, if: nobodys }) },
      { update: items.device({ hash: device.hash }), changes: changes({ set: { customerId }, if: present }) },
      memberChange(customerId, 1),
    );
    return failed === null;
  },

  usePairing: async (hash: string): Promise<void> => {
    await table.write({ remove: items.pairingCode({ hash }) });
  },

  /** Sets what the list of sensors shows of a sensor's activity since `time` (ms); what is older changes nothing. */
  setActive: async (customerId: number, sensorId: string, isActive: boolean, time: number): Promise<void> => {
    const newer = where('attribute_exists(pk) AND (attribute_not_exists(#activityDate) OR #activityDate <= :time)', {
      time,
    });
    const update = changes({ set: { isActive, activityDate: time, updateDate: time }, if: newer });
    await table.update(items.sensor({ customerId, sensorId }), update);
  },
});
