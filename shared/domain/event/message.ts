import * as z from 'zod';
import { uuidV5 } from '../ids.ts';
import { optionalField, uuid } from '../values.ts';
import type { Point, Situation } from './event.ts';

export const fallStatuses = [
  'fall_detected',
  'fall_confirmed',
  'calling',
  'finished',
  'fall_exit',
  'canceled',
] as const;
export type FallStatus = (typeof fallStatuses)[number];

/**
 * A report of a maker A device about a fall. `start` (ms, the device's clock) identifies the fall; if it could not be read,
 * it is null and the fall starts when it is received. `isSensitive` falls were detected by the sensitivity mode.
 */
export type FallSignal = {
  kind: 'fall';
  status: FallStatus;
  /** The alarm was raised before, or its report was lost: it counts as `calling` only if the fall had none. */
  isOnCall?: boolean;
  start: number | null;
  isSensitive: boolean;
  point: Point | null;
  isSimulated: boolean;
  isSilent: boolean;
  /** Whether the device is in its learning phase; missing if the device does not report it. */
  isLearning?: boolean;
};

/**
 * A report of presence. `regions` has an entry for each reported positionIdx: whether somebody is in that region. `present`
 * is null if the device does not report it.
 */
export type PresenceSignal = {
  kind: 'presence';
  present: boolean | null;
  regions: Readonly<Record<number, boolean>>;
  point: Point | null;
};

const areas = ['bed', 'door', 'default'] as const;
/** A track of maker B that enters or leaves the room (`area` null) or an area of the room. */
export type Move = {
  track: number;
  entered: boolean;
  area: { index: number; kind: (typeof areas)[number] | null } | null;
};

/** The decoded content of a message. The state of a sensor depends on nothing else in it. */
export type Signal =
  | PresenceSignal
  | FallSignal
  | { kind: 'bed_exit'; point: Point | null }
  | { kind: 'moves'; moves: readonly Move[] }
  | { kind: 'postures'; postures: readonly { track: number; pose: number }[] }
  | { kind: 'people'; count: number }
  | { kind: 'online'; isOnline: boolean }
  /** A condition whose start is reported, but not its end. */
  | { kind: 'sign'; situation: 'sensor_weak_signal' | 'sensor_tilted' }
  /** `alarm` is null if no alarm is active. `hasReading` is false if nothing was measured. */
  | { kind: 'vital'; alarm: Situation | null; hasReading: boolean }
  /** The state of the device itself. `firmware` is the N of v0.N, or null if the device does not report it. */
  | { kind: 'state'; firmware: number | null }
  /** `isAboutFalls`: its type is that of reports of falls, but nothing else was understood. */
  | { kind: 'unknown'; isAboutFalls?: true };

/**
 * Signals that report a state, so that a duplicate changes nothing. A duplicate of any other would take effect again.
 */
export const stateReports: ReadonlySet<Signal['kind']> = new Set([
  'presence',
  'people',
  'postures',
  'vital',
  'online',
  'state',
]);

/**
 * A decoded message: its content, its time (ms) by the device's clock, the UUID in the message, and `identity`, the parts by
 * which a duplicate is recognized if there is no UUID (null without such parts). `wrong` are the paths of invalid fields,
 * which were left out.
 */
export type DecodedMessage = {
  signal: Signal;
  deviceTime: number | null;
  uuid: string | null;
  identity: readonly (string | number)[] | null;
  wrong: readonly string[];
};

/** The time (ms) within which equal bytes of a message, or equal states of a fall, are duplicates if nothing identifies them. */
export const DUPLICATE_WINDOW = 120_000;

/** A decoded message without untrusted times. */
export type TrustedMessage = DecodedMessage & {
  /** Only its bytes identify the message. */
  byBytes: boolean;
  /** The device sent an untrusted time. */
  isClockWrong: boolean;
  /** The device used the UUID for another message before. */
  isUuidReused?: true;
};

const OwnId = z.object({ uuid: optionalField(uuid), sensorEventId: optionalField(uuid) });

/** Returns the UUID in a message, at its top level or in its payload. */
export const uuidInMessage = (message: unknown, payload: unknown): string | null => {
  const top = OwnId.safeParse(message).data;
  const inner = OwnId.safeParse(payload).data;
  return top?.uuid ?? top?.sensorEventId ?? inner?.uuid ?? inner?.sensorEventId ?? null;
};

/**
 * Returns a message whose UUID (`own`) already belongs to another message, with a UUID derived from that and its bytes.
 */
export const withReusedUuid = (message: TrustedMessage, own: string, raw: string): TrustedMessage => ({
  ...message,
  uuid: uuidV5(own, raw),
  isUuidReused: true,
});

/**
 * Returns the UUID of a message, unique within its sensor. `arrival` distinguishes messages that nothing else identifies.
 */
export const messageUuid = (
  sensorId: string,
  decoded: DecodedMessage,
  raw: string,
  arrival: readonly number[],
): string =>
  decoded.uuid ?? (decoded.identity ? uuidV5(sensorId, ...decoded.identity) : uuidV5(sensorId, raw, ...arrival));
