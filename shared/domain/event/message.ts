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
 * A report of a maker A device about a fall. `start` (ms, the device's clock) identifies the fall; if it could not be
 * read, it is null and the fall starts when the report is received. `isSensitive`: the sensitivity mode detected the
 * fall.
 */
export type FallSignal = {
  kind: 'fall';
  status: FallStatus;
  /**
   * The alarm was raised before. The report counts as `calling` only if the fall has no `calling` yet, because that
   * report may have been lost.
   */
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
 * A report of presence. `regions` has an entry for each reported positionIdx: whether somebody is in that region.
 * `present` is null if the device does not report it.
 */
export type PresenceSignal = {
  kind: 'presence';
  present: boolean | null;
  regions: Readonly<Record<number, boolean>>;
  point: Point | null;
};

const areas = ['bed', 'door', 'default'] as const;
/** A track of maker B enters or leaves the room (`area` is null) or an area of the room. */
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
  /** `isAboutFalls`: the message has the type of a fall report, but nothing else in it was understood. */
  | { kind: 'unknown'; isAboutFalls?: true };

/**
 * Signals that report a state, so that a duplicate changes nothing. A duplicate of any other signal would take effect
 * again.
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
 * A decoded message: its content, its time (ms) by the device's clock, the UUID in the message, and `identity`, the
 * parts that identify a duplicate if there is no UUID (null if there are no such parts). `wrong` contains the paths of
 * invalid fields, which were left out.
 */
export type DecodedMessage = {
  signal: Signal;
  deviceTime: number | null;
  uuid: string | null;
  identity: readonly (string | number)[] | null;
  wrong: readonly string[];
};

/**
 * How long (ms) after a message the same bytes, or the same state of a fall, count as a duplicate if nothing else
 * identifies them.
 */
export const DUPLICATE_WINDOW = 120_000;

/** A decoded message without untrusted times. */
export type TrustedMessage = DecodedMessage & {
  /** Only its bytes identify the message. */
  byBytes: boolean;
  /** The device sent an untrusted time. */
  isClockWrong: boolean;
  /** The device has already used the UUID for another message. */
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
 * Returns a message with a new UUID, derived from its bytes and its own UUID (`own`), because that UUID already belongs
 * to another message.
 */
export const withReusedUuid = (message: TrustedMessage, own: string, raw: string): TrustedMessage => ({
  ...message,
  uuid: uuidV5(own, raw),
  isUuidReused: true,
});

/**
 * Returns the UUID of a message, unique within its sensor. `arrival` distinguishes messages that nothing else
 * identifies.
 */
export const messageUuid = (
  sensorId: string,
  decoded: DecodedMessage,
  raw: string,
  arrival: readonly number[],
): string =>
  decoded.uuid ?? (decoded.identity ? uuidV5(sensorId, ...decoded.identity) : uuidV5(sensorId, raw, ...arrival));
