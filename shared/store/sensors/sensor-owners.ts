import { RETENTION } from '#shared/domain/event/event.ts';
import { hashOf } from '#shared/domain/ids.ts';
import type { Room } from '#shared/domain/sensor/room.ts';
import { movedSensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { oneLess, oneMore, roomFor } from '../counts.ts';
import type { Table } from '../engine/client.ts';
import { dueNames } from '../engine/due.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import { type ConfigItem, configReads, dropLearning, learningIn, putLearning, unpin } from './configs.ts';
import { roomReads } from './rooms.ts';
import { newSensorItem, readSensor, type SensorItem, sensorKey, unchangedSince } from './sensor-item.ts';
import type { StateItem } from './state-item.ts';
import { openFallNames, stateReads } from './states.ts';

/** The device of a sensor: which token and pairing code are its own now. */
export type DeviceLink = { hash: string; pairingHash: string };

/**
 * A sensor as it was when it left a customer: what a message of before says is the customer's, and is judged by this. It is
 * kept for as long as anything else that the sensor left there.
 */
export type FormerSensor = {
  sensor: SensorRecord;
  regions: Room['regions'];
  critical: Record<string, unknown> | null;
  /** When all that is kept of it goes away, s. */
  ttl: number;
};

/** Longer than any message waits, ms. */
const LONGEST_WAIT = 15 * 86_400_000;
/** Longer than anything of a sensor that has left is kept (ms): by it that is found. */
const FORMER_KEPT = RETENTION + LONGEST_WAIT;

type SensorKey = { customerId: number; sensorId: string };
/** A sensor with all that is kept around it. */
type Whole = {
  sensor: SensorItem;
  state: StateItem | null;
  link: DeviceLink | null;
  room: Room | null;
  configs: ConfigItem[];
};

/** The sensor first: whatever changes around it after that makes its revision another one. */
const readWhole = async (table: Table, { customerId, sensorId }: SensorKey): Promise<Whole | null> => {
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
 * What a customer keeps of a sensor that leaves; nothing is kept of a sensor that was nobody's. `isUnchanged`: only if its
 * state is still the one that was read.
 */
const farewell = (
  { customerId, sensorId }: SensorKey,
  { sensor, state, room, configs }: Whole,
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
  // A decision of before fails by the version. Nobody looks at the sensor by time any more.
  const kept = changes({ set: { ttl }, add: { version: 1 }, remove: [...dueNames, ...openFallNames], if: unchanged });
  return [
    { put: { ...former, ...items.formerSensor({ customerId, sensorId }) } },
    state ? { update: stateKey, changes: kept } : { check: stateKey, where: absent },
  ];
};

/** What is to be written of the learning phase that goes on. */
const ofLearning = (configs: readonly ConfigItem[], now: number, write: (end: number) => Write): Write[] => {
  const end = learningIn(configs, now);
  return end === null ? [] : [write(end)];
};

/** What a sensor that leaves its key leaves there no trace of. Events, rule hits and feedback stay. */
const clearAround = ({ customerId, sensorId }: SensorKey, { sensor, room, configs }: Whole, now: number): Write[] => [
  ...ofLearning(configs, now, (end) => dropLearning({ customerId, sensorId }, end)),
  ...(room ? [{ remove: items.room({ customerId, sensorId }) }] : []),
  ...configs.map(({ name }) => ({ remove: items.config({ customerId, sensorId, name }) })),
  ...(sensor.groupId > 0 ? [{ remove: items.groupMember({ customerId, groupId: sensor.groupId, sensorId }) }] : []),
  ...(customerId !== UNASSIGNED ? [oneLess(customerId, 'sensors')] : []),
];

/**
 * Notes that a sensor was erased: what its messages of before say is of nobody, and no reason for an alarm. While its
 * erasure goes on it can't come back, because that would erase what it says from then on.
 */
export const markErased = ({ customerId, sensorId }: SensorKey, now: number, goesOn: boolean): Write => {
  const ttl = Math.ceil((now + LONGEST_WAIT) / 1_000);
  return { put: { ...items.erasedSensor({ customerId, hash: hashOf(sensorId) }), ttl, ...(goesOn && { goesOn }) } };
};

/** What an erased sensor leaves. */
const erasing = (key: SensorKey, now: number): Write[] => [
  { remove: items.sensorState(key) },
  { remove: items.formerSensor(key) },
  markErased(key, now, true),
];

/**
 * Removes a sensor for good, unless it is active. `isErased`: whether it is or not, and nothing is left by which its messages
 * are judged. The state of the sensor decides that as much as its item does: a
 * message sets the one before the other, and whichever is written first, it or the removal, the other one notices.
 */
const removeSensor = (
  table: Table,
  key: SensorKey,
  now: number,
  isErased: boolean,
): Promise<'done' | 'gone' | 'active'> =>
  retryOnConflict(async () => {
    const { customerId, sensorId } = key;
    const whole = await readWhole(table, key);
    if (!whole) return 'gone';
    const { sensor, state, link } = whole;
    if (!isErased && (sensor.isActive || state?.isActive)) return 'active';
    const { manufacturer, hardwareId } = sensor;
    const failed = await table.write(
      { remove: sensorKey(customerId, sensorId), where: unchangedSince(sensor) },
      ...(isErased ? erasing(key, now) : farewell(key, whole, now, true)),
      { remove: items.owner({ kind: 'sensor', id: sensorId }) },
      { remove: items.hardware({ manufacturer, hardwareId }) },
      { remove: items.deviceOfSensor({ sensorId }) },
      ...(link ? [{ remove: items.device(link) }, { remove: items.pairingCode({ hash: link.pairingHash }) }] : []),
      ...clearAround(key, whole, now),
      ...unpin(whole.sensor.manufacturer, whole.configs),
    );
    return failed === null ? 'done' : null;
  });

/** What comes along with a sensor that was nobody's. */
const bringAlong = ({ room, configs }: Whole, to: SensorKey, now: number): Write[] => [
  ...ofLearning(configs, now, (end) => putLearning(to, end)),
  ...(room ? [{ put: { ...room, ...items.room(to) } }] : []),
  ...configs.map((config) => ({ put: { ...config, ...items.config({ ...to, name: config.name }) } })),
];

/** `to`: UNASSIGNED for nobody; `most`: as many sensors as it may have. `pairingHash`: the code that is used up by it, once. */
type Move = { to: number; most: number; now: number; pairingHash?: string };
type Moved = SensorRecord | 'gone' | 'customer_unknown' | 'limit_reached' | 'code_used' | 'being_erased';

/** What is written about the sensor itself when it moves. */
const sensorWrites = (
  from: SensorKey,
  whole: Whole & { link: DeviceLink },
  sensor: SensorRecord,
  { to, now }: Move,
): Write[] => {
  const { customerId, sensorId } = from;
  const isHere = where('#customerId = :from', { from: customerId });
  const moved = { customerId: to, moved: { from: customerId, at: now }, calls: 0, isHeldBack: false };
  return [
    { remove: sensorKey(customerId, sensorId), where: unchangedSince(whole.sensor) },
    { put: newSensorItem(sensor), where: absent },
    {
      update: items.owner({ kind: 'sensor', id: sensorId }),
      changes: changes({ set: { customerId: to }, if: isHere }),
    },
    { update: items.device(whole.link), changes: changes({ set: moved, if: isHere }) },
    ...farewell(from, whole, now, false),
    // It may have been there before.
    { remove: items.sensorState({ customerId: to, sensorId }) },
    { remove: items.formerSensor({ customerId: to, sensorId }) },
    ...clearAround(from, whole, now),
    ...(customerId === UNASSIGNED
      ? bringAlong(whole, { customerId: to, sensorId }, now)
      : unpin(whole.sensor.manufacturer, whole.configs)),
  ];
};

/** Why a sensor was not moved, by the writes that failed; null: another change was faster. */
const refusalOf = (failed: readonly number[], hasCode: boolean): 'being_erased' | 'code_used' | null => {
  if (failed.includes(0)) return 'being_erased';
  return hasCode && failed.includes(1) ? 'code_used' : null;
};

/**
 * Moves a sensor to another customer. It starts anew there: without state, and without the settings of the room that it
 * leaves.
 */
const moveSensor = (table: Table, from: SensorKey, move: Move): Promise<Moved> =>
  retryOnConflict(async () => {
    const { to, most, now, pairingHash } = move;
    const whole = await readWhole(table, from);
    if (!whole?.link) return 'gone';
    const full = to !== UNASSIGNED ? await roomFor(table, to, 'sensors', most) : null;
    if (full) return full;
    const sensor = movedSensor(whole.sensor, to === UNASSIGNED ? null : to, now);
    const erased = items.erasedSensor({ customerId: to, hash: hashOf(from.sensorId) });
    const code = pairingHash ? [{ remove: items.pairingCode({ hash: pairingHash }), where: present }] : [];
    const failed = await table.write(
      { check: erased, where: where('attribute_not_exists(#goesOn)') },
      ...code,
      ...(to !== UNASSIGNED ? [oneMore(to, 'sensors', most)] : []),
      ...sensorWrites(from, { ...whole, link: whole.link }, sensor, move),
    );
    return failed === null ? sensor : refusalOf(failed, code.length > 0);
  });

export const sensorOwners = (table: Table) => ({
  move: (from: number, sensorId: string, move: Move): Promise<Moved> =>
    moveSensor(table, { customerId: from, sensorId }, move),
  remove: (customerId: number, sensorId: string, now: number) =>
    removeSensor(table, { customerId, sensorId }, now, false),
  /** Removes a sensor, active or not, with all by which its messages are judged. */
  erase: (customerId: number, sensorId: string, now: number) =>
    removeSensor(table, { customerId, sensorId }, now, true),
});
