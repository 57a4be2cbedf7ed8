import * as z from 'zod';
import { uuidV5 } from '../ids.ts';
import { maybe, uuid } from '../values.ts';
import { isBelieved, type Point, type Situation } from './event.ts';

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
 * One report of a maker A device about a fall. `start` (ms, the device's clock) identifies the fall; it is null if it
 * could not be read, and then the fall starts when it is received. `isSensitive` falls were detected by the sensitivity
 * mode.
 */
export type FallSignal = {
  kind: 'fall';
  status: FallStatus;
  start: number | null;
  isSensitive: boolean;
  point: Point | null;
  isSimulated: boolean;
  isSilent: boolean;
  /** Is the device in its learning phase? It is missing if the device does not say so. */
  isLearning?: boolean;
};

/**
 * A report of presence. `regions` tells for each positionIdx whether somebody is in that region. `present` is null if
 * the device does not report it.
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

/** The decoded content of a message. The rules of a sensor's state see nothing else of it. */
export type Signal =
  | PresenceSignal
  | FallSignal
  | { kind: 'bed_exit'; point: Point | null }
  | { kind: 'moves'; moves: readonly Move[] }
  | { kind: 'postures'; postures: readonly { track: number; pose: number }[] }
  | { kind: 'people'; count: number }
  | { kind: 'online'; isOnline: boolean }
  /** A condition whose beginning is reported, but not its end. */
  | { kind: 'sign'; situation: 'sensor_weak_signal' | 'sensor_tilted' }
  /** `alarm` is null if all is well. `hasReading` is false if nothing was measured. */
  | { kind: 'vital'; alarm: Situation | null; hasReading: boolean }
  /** The state of the device itself. `firmware` is the N of v0.N, or null if the device does not report it. */
  | { kind: 'state'; firmware: number | null }
  | { kind: 'unknown' };

/** Signals that say how things are: the same one again changes nothing. What all others say would happen again. */
export const reports: ReadonlySet<Signal['kind']> = new Set([
  'presence',
  'people',
  'postures',
  'vital',
  'online',
  'state',
]);

/**
 * A decoded message: its content, the time (ms) at which the device says it happened, the UUID in the message, and
 * `identity`, the parts by which a repeated message is recognised if it has no UUID (null if it has no such parts).
 * `wrong` are the paths of fields that were left out, because they are not as they should be.
 */
export type Decoded = {
  signal: Signal;
  deviceTime: number | null;
  uuid: string | null;
  identity: readonly (string | number)[] | null;
  wrong: readonly string[];
};

/**
 * For so many ms what is the same counts as a repetition, if it has nothing by which two could be told apart: the bytes of
 * a message, the state of a fall.
 */
export const REPEATED_WITHIN = 120_000;

/** A decoded message of whose times only those are left that are believed. */
export type Credible = Decoded & {
  /** Nothing identifies the message but its bytes. */
  byBytes: boolean;
  /** The device gave a time that is not believed. */
  isClockWrong: boolean;
};

/** Takes from a message the times that are not believed, and the identity that was made of them. */
export const credible = (decoded: Decoded, received: number): Credible => {
  const believed = (time: number | null) => (time !== null && isBelieved(time, received) ? time : null);
  const { signal: reported, deviceTime: time, uuid: own } = decoded;
  const deviceTime = believed(time);
  const signal = reported.kind === 'fall' ? { ...reported, start: believed(reported.start) } : reported;
  const isClockWrong = deviceTime !== time || (reported.kind === 'fall' && believed(reported.start) !== reported.start);
  const identity = (signal.kind === 'fall' ? signal.start : deviceTime) === null ? null : decoded.identity;
  return { ...decoded, signal, deviceTime, identity, byBytes: own === null && identity === null, isClockWrong };
};

const OwnId = z.object({ uuid: maybe(uuid), sensorEventId: maybe(uuid) });

/** Gives the UUID that a message contains, on its top level or in its payload. */
export const ownUuid = (message: unknown, inside: unknown): string | null => {
  const top = OwnId.safeParse(message).data;
  const inner = OwnId.safeParse(inside).data;
  return top?.uuid ?? top?.sensorEventId ?? inner?.uuid ?? inner?.sensorEventId ?? null;
};

/**
 * Gives the UUID of a message, unique within its sensor. `arrival` distinguishes messages that nothing else identifies.
 */
export const messageUuid = (sensorId: string, decoded: Decoded, raw: string, arrival: readonly number[]): string =>
  decoded.uuid ?? (decoded.identity ? uuidV5(sensorId, ...decoded.identity) : uuidV5(sensorId, raw, ...arrival));
