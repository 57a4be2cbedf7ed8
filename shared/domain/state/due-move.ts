import { type Fall, type FallPhase, isEnded } from '../sensor/sensor-state.ts';
import type { Timings } from './room-context.ts';

/** Time advances a fall this long (ms) after the next phase is due, because the device report may be late. */
const DEVICE_DELAY = 3_000;
/** How long (ms) a fall stays open after all its phases should have ended, if nothing advances it. */
const STALE = 60_000;

type DueMove = { phase: FallPhase; at: number; dueAt: number; isAlarm: boolean };

/** Whether the start of the fall was reported. */
export const hasBeginning = ({ phases }: Fall): boolean => phases.includes('detected') || phases.includes('confirmed');

/**
 * Whether time advances the fall from phase to phase. Time can only end sensitive falls and falls whose start was not
 * reported.
 */
export const isTimed = (fall: Fall): boolean => !fall.isSensitive && hasBeginning(fall);

/** Returns the next phase of a fall, when (ms) the fall reaches it by time alone, and when (ms) this is decided. */
export const dueMove = (fall: Fall, { confirm, alert, calling }: Timings): DueMove => {
  const { phases, at = 0 } = fall;
  const after = (phase: FallPhase, seconds: number) => {
    const time = at + seconds * 1_000;
    return { phase, at: time, dueAt: time + DEVICE_DELAY, isAlarm: phase !== 'finished' };
  };
  if (!isTimed(fall)) {
    const end = at + ((confirm ?? 0) + alert + calling) * 1_000 + STALE;
    return { phase: 'finished', at: end, dueAt: end, isAlarm: false };
  }
  if (phases.includes('calling')) return after('finished', calling);
  return phases.includes('confirmed') ? after('calling', alert) : after('confirmed', confirm ?? 0);
};

/**
 * Returns when (ms) a suspicion becomes an alarm if the device reports nothing more; null if it is already an alarm, or
 * will never become one.
 */
export const alarmBy = (fall: Fall, timings: Timings): number | null => {
  if (!isTimed(fall) || isEnded(fall) || fall.phases.includes('calling')) return null;
  const { phase, dueAt } = dueMove(fall, timings);
  return phase === 'calling' ? dueAt : dueAt + timings.alert * 1_000;
};
