import { fallKeyOf, fallOfKey, isEventKey } from '../event/fall-key.ts';
import {
  type Fall,
  isDown,
  isEnded,
  mayLieThere,
  type SensorState,
  type Step,
  subjectOf,
  type Track,
} from '../sensor/sensor-state.ts';
import { moveFall, rememberedFalls, reportedEnd } from './falls.ts';
import { endsOf } from './tracks.ts';

/** Whether people acknowledged a fall, and when (ms) they closed it; null if they did not. */
type Answer = { isAcknowledged: boolean; closedAt: number | null };

type FallOfKey = { start: number; isSensitive: boolean };
const isSame = (fall: Fall, { start, isSensitive }: FallOfKey): boolean =>
  fall.start === start && (fall.isSensitive ?? false) === isSensitive;
const isFallOf = (track: Track, id: number, began: number): boolean =>
  track.id === id && track.fallPostures !== undefined && track.since === began;

const acknowledged = <T extends { isAcknowledged?: true }>(fall: T, { isAcknowledged }: Answer): T => {
  const { isAcknowledged: _, ...rest } = fall;
  return { ...rest, ...(isAcknowledged && { isAcknowledged }) } as T;
};

const trackStep = (state: SensorState, id: number, began: number, answer: Answer): Step => {
  const found = state.tracks?.find((track) => isFallOf(track, id, began));
  if (!found || !isDown(found)) return { state, events: [] };
  const { isAcknowledged: _, ...others } = found;
  const isClosed = answer.closedAt !== null;
  const next: Track = isClosed ? { ...others, isClosed } : acknowledged(found, answer);
  const tracks = state.tracks?.map((track) => (track === found ? next : track));
  return { state: { ...state, ...(tracks && { tracks }) }, events: isClosed ? endsOf([found]) : [] };
};

/** Ends a fall as if the device had reported it: finished after an alarm, otherwise canceled. */
const closeFall = (state: SensorState, key: FallOfKey, closedAt: number): Step => {
  const found = state.falls.find((fall) => isSame(fall, key));
  if (found?.closedAt) return { state, events: [] };
  if (found && !isEnded(found)) {
    const phase = found.phases.includes('calling') ? 'finished' : 'canceled';
    return moveFall(state, { ...found, closedAt }, phase, closedAt);
  }
  const { start, isSensitive } = key;
  // A fall that is no longer in the state is added, because the device may report it again.
  const closed: Fall = found
    ? { ...reportedEnd(found), closedAt }
    : { start, phases: ['finished'], ...(isSensitive && { isSensitive }), closedAt };
  const falls = rememberedFalls([...state.falls.filter((fall) => fall !== found), closed]);
  return { state: { ...state, falls }, events: [] };
};

/** Applies people's response to a fall to the state. Acknowledging a fall that is over or unknown changes nothing. */
export const answerStep = (state: SensorState, key: string, answer: Answer): Step => {
  // The only alarms in the state are those about falls.
  if (isEventKey(key)) return { state, events: [] };
  const { track, ...fallKey } = fallOfKey(key);
  if (track !== null) return trackStep(state, track, fallKey.began, answer);
  if (answer.closedAt !== null) return closeFall(state, fallKey, answer.closedAt);
  const falls = state.falls.map((fall) =>
    isSame(fall, fallKey) && mayLieThere(fall) ? acknowledged(fall, answer) : fall,
  );
  return { state: { ...state, falls }, events: [] };
};

/**
 * Returns the key of the newest alarm in a fall, according to the state. If the state does not know the fall, returns
 * the given key.
 */
export const newestKeyOf = (state: SensorState, key: string): string => {
  const { track, began } = fallOfKey(key);
  const found = track === null ? undefined : state.tracks?.find((known) => isFallOf(known, track, began));
  return (found && fallKeyOf(subjectOf(found))) ?? key;
};

/** Whether people acknowledged a fall, according to the state. */
export const isAcknowledged = (state: SensorState, key: string): boolean => {
  const { track, ...fallKey } = fallOfKey(key);
  const found =
    track === null
      ? state.falls.find((fall) => isSame(fall, fallKey))
      : state.tracks?.find((known) => isFallOf(known, track, fallKey.began));
  return found?.isAcknowledged === true;
};
