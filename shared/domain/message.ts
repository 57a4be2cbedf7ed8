import type { Point } from './event.ts';
import { uuidV5 } from './ids.ts';

export const fallStatuses = [
  'fall_detected',
  'fall_confirmed',
  'calling',
  'finished',
  'fall_exit',
  'canceled',
] as const;
export type FallStatus = (typeof fallStatuses)[number];

/** What a device said, once decoded: the only thing that the rules of a sensor's state see. */
export type Signal =
  | { kind: 'presence'; present: boolean; point: Point | null }
  | { kind: 'fall'; status: FallStatus; start: number; point: Point | null; isSimulated: boolean; isSilent: boolean }
  | { kind: 'state' }
  | { kind: 'unknown' };

/**
 * A decoded message: what it says, when the device says it happened (ms), its own UUID, and otherwise the parts that
 * make a later message the same one again (null: nothing does).
 */
export type Decoded = {
  signal: Signal;
  deviceTime: number | null;
  uuid: string | null;
  identity: readonly (string | number)[] | null;
};

/** What is kept as it is: a message of unknown kind. */
export const notUnderstood: Decoded = { signal: { kind: 'unknown' }, deviceTime: null, uuid: null, identity: null };

/** The UUID of a message within its sensor; `arrival` tells apart messages that nothing else identifies. */
export const messageUuid = (sensorId: string, decoded: Decoded, raw: string, arrival: readonly number[]): string =>
  decoded.uuid ?? (decoded.identity ? uuidV5(sensorId, ...decoded.identity) : uuidV5(sensorId, raw, ...arrival));
