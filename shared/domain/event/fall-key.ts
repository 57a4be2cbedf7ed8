import { timeOfId } from '../ids.ts';
import type { EventDetails, Subject } from './event.ts';

/** A fall at a sensor. Maker B: `start` is when the track fell or raised another alarm, and `began` is when it fell. */
type FallSubject = { start: number; began: number; isSensitive: boolean; track: number | null };

/**
 * Returns the key for the fall an event is about: the start in base 36, then `-s` for a sensitive fall or the track
 * number. If the alarm was raised again, the time when the track fell follows. The key is short because every event and
 * hit stores it. Null if the event is not about a fall.
 */
export const fallKeyOf = ({ fall, began, track, isSensitive }: Subject = {}): string | null => {
  if (fall === undefined) return null;
  const start = fall.toString(36);
  if (track !== undefined) return `${start}-${track}${began === undefined ? '' : `-${began.toString(36)}`}`;
  return isSensitive ? `${start}-s` : start;
};

/** Returns the key for the fall a decided event is about, or null. */
export const fallOfEvent = ({ fall, happening }: { fall?: string; happening: EventDetails }): string | null =>
  fall ?? fallKeyOf(happening.subject);

/** The suffix in alarm keys that are not about a fall. */
const NO_FALL = 'e';
/**
 * Returns the key used to answer an alarm that is not about a fall and was not reported by a rule: the event time in
 * base 36, then `-e`.
 */
export const eventKeyOf = (eventId: number): string => `${timeOfId(eventId).toString(36)}-${NO_FALL}`;
export const isEventKey = (key: string): boolean => key.endsWith(`-${NO_FALL}`);

/** Returns the fall identified by a key. */
export const fallOfKey = (key: string): FallSubject => {
  const [first = '', suffix, origin = first] = key.split('-');
  const [start, began] = [Number.parseInt(first, 36), Number.parseInt(origin, 36)];
  const isSensitive = suffix === 's';
  const isNumber = suffix !== undefined && !isSensitive && suffix !== NO_FALL;
  return { start, began, isSensitive, track: isNumber ? Number(suffix) : null };
};

/** Whether a key belongs to a later alarm for a fall rather than the first. */
export const isRaisedAgain = (key: string): boolean => key !== firstKeyOf(key);

/** Returns the key for the first alarm for a fall, which all alarms for that fall share. */
export const firstKeyOf = (key: string): string => {
  const { began, track } = fallOfKey(key);
  return track === null ? key : `${began.toString(36)}-${track}`;
};
