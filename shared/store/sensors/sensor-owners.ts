import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { hashOf } from '#shared/domain/ids.ts';
import type { Room } from '#shared/domain/sensor/room.ts';
import { movedSensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { countOneLess, countOneMore, quotaRefusal } from '../counts.ts';
import type { Table } from '../engine/client.ts';
import { dueAttributes } from '../engine/due.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import {
  type ConfigItem,
  configReads,
  putLearningNotice,
  removeLearningNotice,
  runningLearningEnd,
  unpin,
} from './configs.ts';
import { type DeviceLink, endFormerToken } from './device-tokens.ts';
import { roomReads } from './rooms.ts';
import { newSensorItem, readSensor, type SensorItem, sensorKey, unchangedSince } from './sensor-item.ts';
import type { StateItem } from './state-item.ts';
import { openFallAttributes, stateReads } from './states.ts';

/**
 * A sensor as it was when it left a customer. Older messages still belong to that customer, and are processed with this
 * record. It is kept for as long as any other data the sensor left there.
 */
export type FormerSensor = {
  sensor: SensorRecord;
  regions: Room['regions'];
  critical: Record<string, unknown> | null;
  /** When (s) all data kept about the sensor expires. */
  ttl: number;
};

/** Longer (ms) than any message stays in a queue. */
const MAX_QUEUED = 15 * 86_400_000;
/** Longer (ms) than any data about a former sensor is kept, because this item leads to it. */
const FORMER_KEPT = EVENT_RETENTION + MAX_QUEUED;

type SensorKey = { customerId: number; sensorId: string };
/** A sensor with everything that belongs to it. */
type SensorWithParts = {
  sensor: SensorItem;
  state: StateItem | null;
  link: DeviceLink | null;
  room: Room | null;
  configs: ConfigItem[];
};

/** Reads a sensor with its parts. The sensor comes first, because any later change to a part changes the revision. */
const readWithParts = async (table: Table, { customerId, sensorId }: SensorKey): Promise<SensorWithParts | null> => {
  const sensor = await readSensor(table, customerId, sensorId);
  if (!sensor) return null;
  const [state, link, room, configs] = await Promise.all([
    stateReads(table).get(customerId, sensorId),
    table.get<DeviceLink>(items.deviceOfSensor({ sensorId })),
    roomReads(table).get(customerId, sensorId),
    configReads(table).list({ customerId, sensorId }),
  ]);
  return { sensor, state, link, room, configs };
};

/**
 * Returns the writes that keep a sensor's data with its former customer. A sensor without an owner leaves nothing
 * behind. With `isUnchanged`, they fail if the state has changed since it was read.
 */
const keepFormerSensor = (
  { customerId, sensorId }: SensorKey,
  { sensor, state, room, configs }: SensorWithParts,
  now: number,
  isUnchanged: boolean,
): Write[] => {
  const stateKey = items.sensorState({ customerId, sensorId });
  const unchanged = state && isUnchanged ? where('#version = :seen', { seen: state.version }) : present;
  if (customerId === UNASSIGNED)
    return [{ remove: stateKey, ...(isUnchanged && { where: state ? unchanged : absent }) }];
  const ttl = Math.ceil((now + FORMER_KEPT) / 1_000);
  const critical = configs.find(({ name }) => name === 'critical')?.values ?? null;
  const former: FormerSensor = { sensor, regions: room?.regions ?? [], critical, ttl };
  // The new version makes earlier decisions fail. The sweep no longer checks the sensor.
  const expiring = changes({
    set: { ttl },
    add: { version: 1 },
    remove: [...dueAttributes, ...openFallAttributes],
    if: unchanged,
  });
  return [
    { put: { ...former, ...items.formerSensor({ customerId, sensorId }) } },
    state ? { update: stateKey, changes: expiring } : { check: stateKey, where: absent },
  ];
};

/** Returns the write for the end of the running learning phase, if any. */
const learningWrites = (configs: readonly ConfigItem[], now: number, write: (end: number) => Write): Write[] => {
  const end = runningLearningEnd(configs, now);
  return end === null ? [] : [write(end)];
};

/** Returns the writes that remove a sensor's parts from the customer. Events, rule hits and feedback stay. */
const removeParts = (
  { customerId, sensorId }: SensorKey,
  { sensor, room, configs }: SensorWithParts,
  now: number,
): Write[] => [
  ...learningWrites(configs, now, (end) => removeLearningNotice({ customerId, sensorId }, end)),
  ...(room ? [{ remove: items.room({ customerId, sensorId }) }] : []),
  ...configs.map(({ name }) => ({ remove: items.config({ customerId, sensorId, name }) })),
  ...(sensor.groupId > 0 ? [{ remove: items.groupMember({ customerId, groupId: sensor.groupId, sensorId }) }] : []),
  ...(customerId !== UNASSIGNED ? [countOneLess(customerId, 'sensors')] : []),
];

/**
 * Returns the write that marks a sensor as erased. Older messages then have no owner and do not raise alarms. While the
 * erasure is running (`goesOn`), the sensor cannot be linked again, because its new data would be erased too.
 */
export const markErased = ({ customerId, sensorId }: SensorKey, now: number, goesOn: boolean): Write => {
  const ttl = Math.ceil((now + MAX_QUEUED) / 1_000);
  return { put: { ...items.erasedSensor({ customerId, hash: hashOf(sensorId) }), ttl, ...(goesOn && { goesOn }) } };
};

/** Returns the writes that remove everything about a sensor except the erasure mark. */
const eraseState = (key: SensorKey, now: number): Write[] => [
  { remove: items.sensorState(key) },
  { remove: items.formerSensor(key) },
  markErased(key, now, true),
];

/**
 * Deletes a sensor permanently, unless it is active. `isErased` also deletes an active sensor, with everything needed
 * to process messages from it. Both the item and the state show whether a sensor is active, and a message updates one
 * after the other: if a message and the deletion arrive at the same time, the later one notices.
 */
const removeSensor = (
  table: Table,
  key: SensorKey,
  now: number,
  isErased: boolean,
): Promise<'done' | 'gone' | 'active'> =>
  retryOnConflict(async () => {
    const { customerId, sensorId } = key;
    const parts = await readWithParts(table, key);
    if (!parts) return 'gone';
    const { sensor, state, link } = parts;
    if (!isErased && (sensor.isActive || state?.isActive)) return 'active';
    const { manufacturer, hardwareId } = sensor;
    const failed = await table.write(
      { remove: sensorKey(customerId, sensorId), where: unchangedSince(sensor) },
      ...(isErased ? eraseState(key, now) : keepFormerSensor(key, parts, now, true)),
      { remove: items.owner({ kind: 'sensor', id: sensorId }) },
      { remove: items.hardware({ manufacturer, hardwareId }) },
      { remove: items.deviceOfSensor({ sensorId }) },
      ...(link ? [{ remove: items.device(link) }, { remove: items.pairingCode({ hash: link.pairingHash }) }] : []),
      ...(link?.formerHash === undefined ? [] : [{ remove: items.device({ hash: link.formerHash }) }]),
      ...removeParts(key, parts, now),
      ...unpin(sensor.manufacturer, parts.configs),
    );
    return failed === null ? 'done' : null;
  });

/** Returns the writes that move the room and configurations of a sensor without an owner to the new customer. */
const moveParts = ({ room, configs }: SensorWithParts, to: SensorKey, now: number): Write[] => [
  ...learningWrites(configs, now, (end) => putLearningNotice(to, end)),
  ...(room ? [{ put: { ...room, ...items.room(to) } }] : []),
  ...configs.map((config) => ({ put: { ...config, ...items.config({ ...to, name: config.name }) } })),
];

/** `to`: UNASSIGNED for no owner; `most`: the sensor quota; `pairingHash`: the pairing code used up by the move. */
type Move = { to: number; most: number; now: number; pairingHash?: string };
type MoveResult = SensorRecord | 'gone' | 'customer_unknown' | 'limit_reached' | 'code_used' | 'being_erased';

/** Returns the writes that move a sensor, excluding counts and checks. */
const moveWrites = (
  from: SensorKey,
  parts: SensorWithParts & { link: DeviceLink },
  sensor: SensorRecord,
  { to, now }: Move,
): Write[] => {
  const { customerId, sensorId } = from;
  const sameOwner = where('#customerId = :from', { from: customerId });
  const moved = { customerId: to, moved: { from: customerId, at: now }, calls: 0, isHeldBack: false };
  return [
    { remove: sensorKey(customerId, sensorId), where: unchangedSince(parts.sensor) },
    { put: newSensorItem(sensor), where: absent },
    {
      update: items.owner({ kind: 'sensor', id: sensorId }),
      changes: changes({ set: { customerId: to }, if: sameOwner }),
    },
    { update: items.device(parts.link), changes: changes({ set: moved, if: sameOwner }) },
    ...endFormerToken(sensorId, parts.link),
    ...keepFormerSensor(from, parts, now, false),
    // The sensor may have belonged to this customer before.
    { remove: items.sensorState({ customerId: to, sensorId }) },
    { remove: items.formerSensor({ customerId: to, sensorId }) },
    ...removeParts(from, parts, now),
    ...(customerId === UNASSIGNED
      ? moveParts(parts, { customerId: to, sensorId }, now)
      : unpin(parts.sensor.manufacturer, parts.configs)),
  ];
};

/** Returns why a sensor was not moved, judging by the failed writes, or null if another change got there first. */
const refusalOf = (failed: readonly number[], hasCode: boolean): 'being_erased' | 'code_used' | null => {
  if (failed.includes(0)) return 'being_erased';
  return hasCode && failed.includes(1) ? 'code_used' : null;
};

/** Moves a sensor to another customer, where it starts from scratch: without state or previous settings. */
const moveSensor = (table: Table, from: SensorKey, move: Move): Promise<MoveResult> =>
  retryOnConflict(async () => {
    const { to, most: limit, now, pairingHash } = move;
    const parts = await readWithParts(table, from);
    if (!parts?.link) return 'gone';
    const refusal = to !== UNASSIGNED ? await quotaRefusal(table, to, 'sensors', limit) : null;
    if (refusal) return refusal;
    const sensor = movedSensor(parts.sensor, to === UNASSIGNED ? null : to, now);
    const erased = items.erasedSensor({ customerId: to, hash: hashOf(from.sensorId) });
    const code = pairingHash ? [{ remove: items.pairingCode({ hash: pairingHash }), where: present }] : [];
    const failed = await table.write(
      { check: erased, where: where('attribute_not_exists(#goesOn)') },
      ...code,
      ...(to !== UNASSIGNED ? [countOneMore(to, 'sensors', limit)] : []),
      ...moveWrites(from, { ...parts, link: parts.link }, sensor, move),
    );
    return failed === null ? sensor : refusalOf(failed, code.length > 0);
  });

export const sensorOwners = (table: Table) => ({
  move: (from: number, sensorId: string, move: Move): Promise<MoveResult> =>
    moveSensor(table, { customerId: from, sensorId }, move),
  remove: (customerId: number, sensorId: string, now: number) =>
    removeSensor(table, { customerId, sensorId }, now, false),
  /** Deletes a sensor, active or not, with everything needed to process messages from it. */
  erase: (customerId: number, sensorId: string, now: number) =>
    removeSensor(table, { customerId, sensorId }, now, true),
});
