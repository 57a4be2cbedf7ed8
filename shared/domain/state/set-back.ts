import { TRUSTED_AHEAD } from '../event/event.ts';
import type { Fall, SensorState, Track } from '../sensor/sensor-state.ts';

/** Returns an object without any times (ms) later than `latest`. */
const withoutLater = <T extends object>(object: T, names: readonly (keyof T)[], latest: number): T => {
  const later = names.filter((name) => Number(object[name]) > latest);
  return later.length === 0
    ? object
    : (Object.fromEntries(Object.entries(object).filter(([name]) => !later.includes(name as keyof T))) as T);
};

/**
 * Returns a state without future times, which were recorded before the clock was set back, so that nothing waits for
 * them. `lastSeen` is always corrected, because every message received while the clock was ahead set it.
 */
export const withoutFuture = (state: SensorState, now: number): SensorState => {
  // Device clocks may be a little ahead.
  const latest = now + TRUSTED_AHEAD;
  const pastFall = (fall: Fall): Fall => ({
    ...withoutLater(fall, ['time'], latest),
    ...(fall.at !== undefined && { at: Math.min(fall.at, now) }),
    ...(fall.endedByTime !== undefined && { endedByTime: Math.min(fall.endedByTime, now) }),
  });
  const pastTrack = (track: Track): Track =>
    withoutLater(track, ['at', 'poseAt', 'alarmedUpTo', 'alarmedAgain'], latest);
  const { falls, tracks, loop, fired, understanding } = state;
  return {
    ...withoutLater(state, ['presenceAt', 'regionsAt', 'bedExit', 'clockWrongAt'], latest),
    lastSeen: now,
    falls: falls.map(pastFall),
    fired: withoutLater(fired, Object.keys(fired), latest),
    ...(tracks && { tracks: tracks.map(pastTrack) }),
    ...(loop && { loop: loop.filter((start) => start <= latest) }),
    ...(understanding && { understanding: { ...understanding, since: Math.min(understanding.since, now) } }),
  };
};
