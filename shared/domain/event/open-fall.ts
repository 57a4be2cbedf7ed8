import { type Fall, isAlarm, isDown, mayLieThere, type SensorState, type Track } from '../sensor/sensor-state.ts';
import type { OpenFall } from './open-fall-view.ts';

const stateOf = ({ phases }: Fall): OpenFall['fallState'] => {
  if (phases.includes('calling')) return 'calling';
  return phases.includes('confirmed') ? 'confirmed' : 'detected';
};

/** The device's clock may be ahead, so the fall began no later than its report. */
const ofMakerA = (fall: Fall): OpenFall => {
  const { start, endedByTime = start, at = endedByTime, isSensitive = false, isSimulated = false } = fall;
  return { since: Math.min(start, at), fallState: stateOf(fall), isSensitive, isSimulated };
};

const ofMakerB = ({ fallPostures: postures = [], since = 0 }: Track): OpenFall => ({
  since,
  fallState: postures.some(isAlarm) ? 'calling' : 'detected',
  isSensitive: !postures.includes('suspected') && !postures.includes('fallen'),
  isSimulated: false,
});

/** Returns the falls of a sensor after which somebody may still be on the floor, newest first. */
export const openFallsOf = ({ falls, tracks = [] }: SensorState): OpenFall[] =>
  [...falls.filter(mayLieThere).map(ofMakerA), ...tracks.filter(isDown).map(ofMakerB)].toSorted(
    (fall, other) => other.since - fall.since,
  );
