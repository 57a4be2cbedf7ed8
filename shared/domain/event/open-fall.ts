import {
  type Fall,
  isAlarm,
  isDown,
  mayLieThere,
  type SensorState,
  subjectOf,
  type Track,
  UNCLEAR_MS,
} from '../sensor/sensor-state.ts';
import { fallKeyOf } from './fall-key.ts';
import type { OpenFall } from './open-fall-view.ts';

/** How long (ms) people still see an acknowledged fall as open if the device reports nothing. */
export const MAX_ACKNOWLEDGED_MS = UNCLEAR_MS;

/**
 * An open fall as found in the state. `key`: the fall key in events. `start`: when (ms) the events about it begin.
 * `suspicion`: a maker A fall that is not an alarm yet.
 */
export type FallOfState = Omit<OpenFall, 'uuid' | 'regionName' | 'acknowledgement' | 'alarmBy'> & {
  key: string;
  start: number;
  isAcknowledged: boolean;
  suspicion: Fall | null;
};

const stateOf = ({ phases }: Fall): OpenFall['fallState'] => {
  if (phases.includes('calling')) return 'calling';
  return phases.includes('confirmed') ? 'confirmed' : 'detected';
};

/** The device clock may be ahead, so `since` is never later than the fall's last state change (service clock). */
const ofMakerA = (fall: Fall): FallOfState => {
  const { start, endedByTime = start, at = endedByTime, isSensitive = false, isSimulated = false } = fall;
  const { isAcknowledged = false } = fall;
  const key = fallKeyOf({ fall: start, isSensitive }) ?? '';
  const fallState = stateOf(fall);
  const suspicion = fallState === 'calling' ? null : fall;
  return { since: Math.min(start, at), fallState, isSensitive, isSimulated, key, start, isAcknowledged, suspicion };
};

const ofMakerB = (track: Track): FallOfState => {
  const { fallPostures: postures = [], since = 0, isAcknowledged = false } = track;
  const subject = subjectOf(track);
  return {
    since,
    fallState: postures.some(isAlarm) ? 'calling' : 'detected',
    isSensitive: !postures.includes('suspected') && !postures.includes('fallen'),
    isSimulated: false,
    key: fallKeyOf(subject) ?? '',
    start: subject.fall ?? since,
    isAcknowledged,
    suspicion: null,
  };
};

/** Returns the falls after which someone may still be on the floor, newest first. */
export const openFallsOf = ({ falls, tracks = [] }: SensorState): FallOfState[] =>
  [...falls.filter(mayLieThere).map(ofMakerA), ...tracks.filter(isDown).map(ofMakerB)].toSorted(
    (fall, other) => other.since - fall.since,
  );
