import type { RecordedCall } from '#shared/domain/event/recorded-call.ts';
import type { Provisioner } from '#shared/domain/sensor/provisioning-key.ts';
import type { Device, Manufacturer, SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';
import type { DeviceLink } from './device-tokens.ts';
import { type NoticeItem, putNotice } from './events.ts';
import { countDevice } from './provisioning.ts';
import { newSensorItem, readSensor, updateSensor } from './sensor-item.ts';

type Pairing = { hash: string; expires: number };
type PairingItem = { sensorId: string; manufacturer: Manufacturer; expires: number };

/**
 * Returns the TTL (s) of a pairing code: an hour after the code expires, so that nothing depends on when the table
 * removes it.
 */
const ttlOf = (expires: number) => Math.ceil(expires / 1_000) + 3_600;

const pairingPut = (sensor: SensorRecord, { hash, expires }: Pairing): Write => {
  const { id: sensorId, manufacturer } = sensor;
  return {
    put: { ...items.pairingCode({ hash }), sensorId, manufacturer, expires, ttl: ttlOf(expires) },
    where: absent,
  };
};
const devicePut = (sensor: SensorRecord, hash: string, replaces?: string): Write => {
  const { id: sensorId, manufacturer, customerId } = sensor;
  const device: Device = { hash, sensorId, manufacturer, customerId: customerId ?? UNASSIGNED };
  return {
    put: { ...items.device({ hash }), ...device, ...(replaces !== undefined && { replaces }) },
    where: absent,
  };
};
const linkPut = ({ id: sensorId }: SensorRecord, link: DeviceLink, before: DeviceLink | null): Write => ({
  put: { ...link, ...items.deviceOfSensor({ sensorId }) },
  where: before
    ? where('#hash = :hash AND #pairingHash = :pairing', { hash: before.hash, pairing: before.pairingHash })
    : absent,
});

/** Reads a sensor and its device link. */
const readDevice = async (table: Table, { customerId, id: sensorId }: SensorRecord) => {
  const link = await table.get<DeviceLink>(items.deviceOfSensor({ sensorId }));
  const item = await readSensor(table, customerId, sensorId);
  return link && item && { link, item };
};

const replaceCode = (sensor: SensorRecord, before: DeviceLink, after: DeviceLink, pairing: Pairing): Write[] => [
  linkPut(sensor, after, before),
  { remove: items.pairingCode({ hash: before.pairingHash }) },
  pairingPut(sensor, pairing),
];

/** What changes when a known device registers again: the token hash, the pairing code, and the firmware version. */
type Registration = { hash: string; pairing: Pairing; firmwareVersion: number; notice: NoticeItem & { uuid: string } };

/** How long (ms) a replaced token stays valid if the device does not use the new one. */
const FORMER_TOKEN_LIFETIME = 86_400_000;

/**
 * Returns the writes that keep one device token, if any, as a former token until the given time (ms), and invalidate
 * all others.
 */
const replaceTokens = ({ hash, formerHash }: DeviceLink, kept: string | null, until: number): Write[] =>
  [hash, formerHash].flatMap((other): Write[] => {
    if (other === undefined) return [];
    const key = items.device({ hash: other });
    if (other !== kept) return [{ remove: key }];
    const set = { replacedUntil: until, ttl: ttlOf(until) };
    return [{ update: key, changes: changes({ set, remove: ['replaces'], if: present }) }];
  });

/** Whether a device presented its current token, or its former one while still valid. */
const isOwnToken = (
  { hash, formerHash, formerUntil = 0 }: DeviceLink,
  presented: string | null,
  now: number,
): boolean => presented === hash || (presented !== null && presented === formerHash && formerUntil > now);

/**
 * Replaces the token and pairing code of a known device. A linked device must present its token (`presented`: the
 * hash), or the customer must have allowed this once; `notice` is stored in the same transaction. The presented token
 * stays valid for a while, because the device may not receive the response. Returns null if the sensor has changed
 * since it was read.
 */
const registerAgain = async (
  table: Table,
  sensor: SensorRecord,
  registration: Registration,
  presented: string | null,
): Promise<'done' | 'refused' | null> => {
  const found = await readDevice(table, sensor);
  if (!found) return null;
  const { link, item } = found;
  const { hash, pairing, firmwareVersion, notice } = registration;
  const isLinked = item.customerId !== null;
  const { receiveDate: now } = notice;
  const isOwn = isOwnToken(link, presented, now);
  if (isLinked && !isOwn && (item.registrationUntil ?? 0) <= now) return 'refused';
  const kept = isOwn ? presented : null;
  const until = now + FORMER_TOKEN_LIFETIME;
  const former = kept === null ? {} : { formerHash: kept, formerUntil: until };
  const failed = await table.write(
    ...replaceCode(sensor, link, { hash, pairingHash: pairing.hash, ...former }, pairing),
    updateSensor(item, { firmwareVersion, ...(item.registrationUntil && { registrationUntil: 0 }) }),
    ...replaceTokens(link, kept, until),
    devicePut(sensor, hash, kept ?? undefined),
    ...(isLinked
      ? [putNotice({ customerId: item.customerId ?? UNASSIGNED, sensorId: sensor.id }, notice.uuid, notice)]
      : []),
  );
  return failed === null ? 'done' : null;
};

const deviceReads = (table: TableReader) => ({
  get: (hash: string) => table.get<Device>(items.device({ hash })),
  linkOf: (sensorId: string) => table.get<DeviceLink>(items.deviceOfSensor({ sensorId })),
  idOfHardware: async (manufacturer: Manufacturer, hardwareId: string): Promise<string | null> =>
    (await table.get<{ sensorId: string }>(items.hardware({ manufacturer, hardwareId })))?.sensorId ?? null,
  pairing: (hash: string) => table.get<PairingItem>(items.pairingCode({ hash })),
});

const deviceWrites = (table: Table) => ({
  /**
   * Registers a new device if the hardware id and the generated id are free and the provisioning key allows one more
   * device.
   */
  register: async (
    sensor: SensorRecord,
    hash: string,
    pairing: Pairing,
    key: Pick<Provisioner, 'id' | 'maxDevices'>,
  ): Promise<'done' | 'taken' | 'key_used_up'> => {
    const { id: sensorId, manufacturer, hardwareId, createDate } = sensor;
    const failed = await table.write(
      countDevice(key, createDate),
      { put: { ...items.hardware({ manufacturer, hardwareId }), sensorId }, where: absent },
      { put: { ...items.owner({ kind: 'sensor', id: sensorId }), customerId: UNASSIGNED }, where: absent },
      { put: newSensorItem(sensor), where: absent },
      devicePut(sensor, hash),
      linkPut(sensor, { hash, pairingHash: pairing.hash }, null),
      pairingPut(sensor, pairing),
    );
    if (failed === null) return 'done';
    return failed.some((at) => at > 0) ? 'taken' : 'key_used_up';
  },

  /** Replaces a device's pairing code. Returns false if the sensor has changed since it was read. */
  renewCode: async (sensor: SensorRecord, pairing: Pairing): Promise<boolean> => {
    const found = await readDevice(table, sensor);
    if (!found) return false;
    const { link, item } = found;
    const writes = replaceCode(sensor, link, { ...link, pairingHash: pairing.hash }, pairing);
    return (await table.write(...writes, updateSensor(item, {}))) === null;
  },

  registerAgain: (sensor: SensorRecord, registration: Registration, presented: string | null) =>
    registerAgain(table, sensor, registration, presented),

  /** Records a call that is about to be queued. Returns undefined if the token is no longer valid. */
  noteCall: async (hash: string, id: string, at: number): Promise<RecordedCall | undefined> => {
    const update = changes({ set: { notedCall: id, notedAt: at }, add: { calls: 1 }, if: present }, 'ALL_OLD');
    const before = await table.update(items.device({ hash }), update);
    if (!before) return;
    const { notedCall, notedAt, calls = 0 } = before as Partial<Device>;
    return { id, at, seq: calls + 1, ...(notedCall !== undefined && { before: { id: notedCall, at: notedAt ?? at } }) };
  },

  /** Holds back further calls from a device, or accepts them again. */
  holdBack: async (hash: string, isHeldBack: boolean): Promise<void> => {
    await table.update(items.device({ hash }), changes({ set: { isHeldBack }, if: present }));
  },

  /** Records that a device connects over MQTT. */
  noteConnection: async (hash: string, connectionId: string, connectDate: number): Promise<void> => {
    await table.update(items.device({ hash }), changes({ set: { connectionId, connectDate }, if: present }));
  },

  usePairingCode: async (hash: string): Promise<void> => {
    await table.write({ remove: items.pairingCode({ hash }) });
  },
});

/** Devices by token, their registration, and their pairing codes. */
export const devices = (table: Table) => ({ ...deviceReads(table), ...deviceWrites(table) });
