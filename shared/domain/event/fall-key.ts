import { timeOfId } from '../ids.ts';
import type { EventDetails, Subject } from './event.ts';

/** A fall of a sensor. Maker B: `start` is when the track fell or raised another alarm, `began` is when it fell. */
type FallSubject = { start: number; began: number; isSensitive: boolean; track: number | null };

/**
 * Returns the key of the fall that an event is about: the start in base 36, followed by `-s` for a sensitive fall or by
 * the number of the track. If the alarm was raised again, the time when the track fell follows. The key is short
 * because it is stored with each event and hit. Null if the event is not about a fall.
 */
export const fallKeyOf = ({ fall, began, track, isSensitive }: Subject = {}): string | null => {
  if (fall === undefined) return null;
  const start = fall.toString(36);
  if (track !== undefined) return `${start}-${track}${began === undefined ? '' : `-${began.toString(36)}`}`;
  return isSensitive ? `${start}-s` : start;
};

/** Returns the key of the fall that a decided event is about, or null. */
export const fallOfEvent = ({ fall, happening }: { fall?: string; happening: EventDetails }): string | null =>
  fall ?? fallKeyOf(happening.subject);

/** The end of the keys of alarms that are not about a fall. */
const NO_FALL = 'e';
/**
 * Returns the key by which people answer an alarm that is not about a fall and that no rule reported: the time of its
 * event in base 36, and `-e`.
 */
export const eventKeyOf = (eventId: number): string => `${timeOfId(eventId).toString(36)}-${NO_FALL}`;
export const isEventKey = (key: string): boolean => key.endsWith(`-${NO_FALL}`);

/** Returns the fall of a key. */
export const fallOfKey = (key: string): FallSubject => {
  const [first = '', suffix, origin = first] = key.split('-');
  const [start, began] = [Number.parseInt(first, 36), Number.parseInt(origin, 36)];
  const isSensitive = suffix === 's';
  const isNumber = suffix !== undefined && !isSensitive && suffix !== NO_FALL;
  return { start, began, isSensitive, track: isNumber ? Number(suffix) : null };
};

/** Whether a key belongs to a later alarm of a fall than the first. */
export const isRaisedAgain = (key: string): boolean => key !== firstKeyOf(key);

/** Returns the key of the first alarm of a fall, which all its alarms share. */
export const firstKeyOf = (key: string): string => {
  const { began, track } = fallOfKey(key);
  return track === null ? key : `${began.toString(36)}-${track}`;
};
