import * as z from 'zod';
import type { Point, Situation } from './event.ts';
import { uuidV5 } from './ids.ts';
import { maybe, uuid } from './values.ts';

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
 * One fall as maker A reports it. `start` (ms, the device's clock) is its key; null: unreadable, then it starts when it is
 * received. `isSensitive`: by sensitivity mode.
 */
export type FallSignal = {
  kind: 'fall';
  status: FallStatus;
  start: number | null;
  isSensitive: boolean;
  point: Point | null;
  isSimulated: boolean;
  isSilent: boolean;
  /** Is the device in its learning phase? Left out: it doesn't say. */
  isLearning?: boolean;
};

/** Somebody in the room, and in which regions (true) or not (false), by their positionIdx. Null: it doesn't say. */
export type PresenceSignal = {
  kind: 'presence';
  present: boolean | null;
  regions: Readonly<Record<number, boolean>>;
  point: Point | null;
};

export const areas = ['bed', 'door', 'default'] as const;
/** A track of maker B that enters or leaves the room (`area` null), or an area of it. */
export type Move = {
  track: number;
  entered: boolean;
  area: { index: number; kind: (typeof areas)[number] | null } | null;
};

/** What a device said, once decoded: the only thing that the rules of a sensor's state see. */
export type Signal =
  | PresenceSignal
  | FallSignal
  | { kind: 'bed_exit'; point: Point | null }
  | { kind: 'moves'; moves: readonly Move[] }
  | { kind: 'postures'; postures: readonly { track: number; pose: number }[] }
  | { kind: 'people'; count: number }
  | { kind: 'online'; isOnline: boolean }
  /** Something that has a beginning and no end. */
  | { kind: 'sign'; situation: 'sensor_weak_signal' | 'sensor_tilted' }
  /** `alarm` null: all is well; `hasReading` false: nothing was measured. */
  | { kind: 'vital'; alarm: Situation | null; hasReading: boolean }
  /** How the device itself is doing; `firmware` N of v0.N, null: it doesn't say. */
  | { kind: 'state'; firmware: number | null }
  | { kind: 'unknown' };

/**
 * A decoded message: what it says, when the device says it happened (ms), its own UUID, and otherwise the parts that
 * make a later message the same one again (null: nothing in it does). `byBytes`: then the same bytes soon after are a
 * repeat.
 */
export type Decoded = {
  signal: Signal;
  deviceTime: number | null;
  uuid: string | null;
  identity: readonly (string | number)[] | null;
  byBytes?: boolean;
};

const OwnId = z.object({ uuid: maybe(uuid), sensorEventId: maybe(uuid) });

/** The UUID that a message itself has, at its top or inside. */
export const ownUuid = (message: unknown, inside: unknown): string | null => {
  const [top, inner] = [OwnId.safeParse(message).data, OwnId.safeParse(inside).data];
  return top?.uuid ?? top?.sensorEventId ?? inner?.uuid ?? inner?.sensorEventId ?? null;
};

/** The UUID of a message within its sensor; `arrival` tells apart messages that nothing else identifies. */
export const messageUuid = (sensorId: string, decoded: Decoded, raw: string, arrival: readonly number[]): string =>
  decoded.uuid ?? (decoded.identity ? uuidV5(sensorId, ...decoded.identity) : uuidV5(sensorId, raw, ...arrival));
