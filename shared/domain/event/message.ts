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
 * A fall report from a maker A device. `start` (ms, device clock) identifies the fall. If it is unreadable, it is null,
 * and the fall starts when the report is received. `isSensitive`: detected by the sensitivity mode.
 */
export type FallSignal = {
  kind: 'fall';
  status: FallStatus;
  /**
   * The alarm had already been raised. The report only counts as `calling` if the fall has no `calling` yet, because
   * that report may have been lost.
   */
  isOnCall?: boolean;
  start: number | null;
  isSensitive: boolean;
  point: Point | null;
  isSimulated: boolean;
  isSilent: boolean;
  /** Whether the device is in the learning phase; missing if not reported. */
  isLearning?: boolean;
};

/**
 * A presence report. `regions` maps each reported positionIdx to whether someone is in that region. `present` is null
 * if not reported.
 */
export type PresenceSignal = {
  kind: 'presence';
  present: boolean | null;
  regions: Readonly<Record<number, boolean>>;
  point: Point | null;
};

const areas = ['bed', 'door', 'default'] as const;
/** A maker B track enters or leaves the room (`area` is null) or an area in it. */
export type Move = {
  track: number;
  entered: boolean;
  area: { index: number; kind: (typeof areas)[number] | null } | null;
};

/** The decoded message content. The sensor state depends on nothing else in the message. */
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
  /** The device state. `firmware` is the N in v0.N, or null if not reported. */
  | { kind: 'state'; firmware: number | null }
  /** `isAboutFalls`: the message type is a fall report, but nothing else was understood. */
  | { kind: 'unknown'; isAboutFalls?: true };

/** Signals that report a state, so a duplicate changes nothing. Duplicates of other signals would take effect again. */
export const stateReports: ReadonlySet<Signal['kind']> = new Set([
  'presence',
  'people',
  'postures',
  'vital',
  'online',
  'state',
]);

/**
 * A decoded message: the content, the time (ms) by the device clock, the UUID in the message, and `identity`, the parts
 * identifying a duplicate if there is no UUID (null if there are none). `wrong` lists the paths of invalid fields,
 * which were left out.
 */
export type DecodedMessage = {
  signal: Signal;
  deviceTime: number | null;
  uuid: string | null;
  identity: readonly (string | number)[] | null;
  wrong: readonly string[];
};

/**
 * How long (ms) after a message the same bytes, or the same fall state, count as a duplicate if nothing else identifies
 * them.
 */
export const DUPLICATE_WINDOW = 120_000;

/** A decoded message without untrusted times. */
export type TrustedMessage = DecodedMessage & {
  /** Only the bytes identify the message. */
  byBytes: boolean;
  /** The device sent an untrusted time. */
  isClockWrong: boolean;
  /** The device has already used the UUID for another message. */
  isUuidReused?: true;
};

const OwnId = z.object({ uuid: optionalField(uuid), sensorEventId: optionalField(uuid) });

/** Returns the UUID in a message, at the top level or in the payload. */
export const uuidInMessage = (message: unknown, payload: unknown): string | null => {
  const top = OwnId.safeParse(message).data;
  const inner = OwnId.safeParse(payload).data;
  return top?.uuid ?? top?.sensorEventId ?? inner?.uuid ?? inner?.sensorEventId ?? null;
};

/**
 * Returns a message with a new UUID derived from the bytes and the old UUID (`own`), which already belongs to another
 * message.
 */
export const withReusedUuid = (message: TrustedMessage, own: string, raw: string): TrustedMessage => ({
  ...message,
  uuid: uuidV5(own, raw),
  isUuidReused: true,
});

/** Returns a message UUID, unique within the sensor. `arrival` distinguishes messages when nothing else does. */
export const messageUuid = (
  sensorId: string,
  decoded: DecodedMessage,
  raw: string,
  arrival: readonly number[],
): string =>
  decoded.uuid ?? (decoded.identity ? uuidV5(sensorId, ...decoded.identity) : uuidV5(sensorId, raw, ...arrival));
