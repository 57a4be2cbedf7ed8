import { type Fall, isEnded, type SensorState, type Track } from '../sensor/sensor-state.ts';
import type { OpenFall } from './open-fall-view.ts';

/** The device's clock may be ahead, so a fall starts at the latest when it was reported. */
const ofMakerA = ({ start, at = start, seen, isSensitive = false, isSimulated = false }: Fall): OpenFall => ({
  since: Math.min(start, at),
  fallState: seen.includes('a') ? 'calling' : seen.includes('c') ? 'confirmed' : 'detected',
  isSensitive,
  isSimulated,
});

/** The letters are the poses of a fall in domain/state/tracks.ts. */
const ofMakerB = ({ seen = '', since = 0 }: Track): OpenFall => ({
  since,
  fallState: /[ab]/.test(seen) ? 'calling' : 'detected',
  isSensitive: !/[ad]/.test(seen),
  isSimulated: false,
});

/** Gives the falls of a sensor that are not over, the newest first. */
export const openFallsOf = ({ falls, tracks = [] }: SensorState): OpenFall[] =>
  [
    ...falls.filter((fall) => !isEnded(fall)).map(ofMakerA),
    ...tracks.filter(({ seen }) => seen).map(ofMakerB),
  ].toSorted((fall, other) => other.since - fall.since);
