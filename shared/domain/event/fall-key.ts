import type { EventDetails, Subject } from './event.ts';

/** A fall at its sensor. Maker B: `start` is when its track fell. */
type FallSubject = { start: number; isSensitive: boolean; track: number | null };

/**
 * Returns the key of the fall that an event is about, short because it is stored with each event and hit: the start in base
 * 36, and `-s` for a sensitive fall or the number of its track. Null for an event about no fall.
 */
export const fallKeyOf = ({ fall, track, isSensitive }: Subject = {}): string | null => {
  if (fall === undefined) return null;
  const start = fall.toString(36);
  if (track !== undefined) return `${start}-${track}`;
  return isSensitive ? `${start}-s` : start;
};

/** Returns the key of the fall that a decided event is about, or null. */
export const fallOfEvent = ({ fall, happening }: { fall?: string; happening: EventDetails }): string | null =>
  fall ?? fallKeyOf(happening.subject);

/** Returns the fall of a key. */
export const fallOfKey = (key: string): FallSubject => {
  const [start = '', ...rest] = key.split('-');
  const suffix = rest.join('-');
  const isTrack = suffix !== '' && suffix !== 's';
  return { start: Number.parseInt(start, 36), isSensitive: suffix === 's', track: isTrack ? Number(suffix) : null };
};
