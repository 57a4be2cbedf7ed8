import { fallOfKey } from '../event/fall-key.ts';
import { answeredSince, mayLieThere, type SensorState, type Step } from '../sensor/sensor-state.ts';

/** Whether people acknowledged a fall. */
type Answer = { isAcknowledged: boolean };

const withAnswer = <T extends { isAcknowledged?: true }>(fall: T, { isAcknowledged }: Answer): T => {
  const { isAcknowledged: _, ...rest } = fall;
  return { ...rest, ...(isAcknowledged && { isAcknowledged }) } as T;
};

/** Applies to the state what people did about a fall. A fall that is over or unknown does not change. */
export const answerStep = (state: SensorState, key: string, answer: Answer): Step => {
  const { start, isSensitive, track } = fallOfKey(key);
  if (track !== null) {
    const tracks = state.tracks?.map((known) =>
      known.id === track && known.fallPostures && answeredSince(known) === start ? withAnswer(known, answer) : known,
    );
    return { state: { ...state, ...(tracks && { tracks }) }, events: [] };
  }
  const falls = state.falls.map((fall) =>
    fall.start === start && (fall.isSensitive ?? false) === isSensitive && mayLieThere(fall)
      ? withAnswer(fall, answer)
      : fall,
  );
  return { state: { ...state, falls }, events: [] };
};

/** Whether the state knows that people acknowledged a fall. */
export const isAcknowledged = (state: SensorState, key: string): boolean => {
  const { start, isSensitive, track } = fallOfKey(key);
  const found =
    track === null
      ? state.falls.find((fall) => fall.start === start && (fall.isSensitive ?? false) === isSensitive)
      : state.tracks?.find((known) => known.id === track && answeredSince(known) === start);
  return found?.isAcknowledged === true;
};
