import type { Alarm } from '#openapi';
import type { StateKind } from '../ui/state.tsx';

/**
 * How long (ms) an alarm may still need attention if its end is not reported. After that, someone will have checked the
 * room.
 */
const RECENT_MS = 24 * 3_600_000;

/** Whether an alarm is about a sensor rather than a person. */
export const isOffline = ({ situation }: Alarm): boolean => situation === 'sensor_inactive';
/** Whether an alarm was rated a false alarm. */
export const isFalse = ({ outcome, feedback }: Alarm): boolean =>
  outcome === null ? feedback?.classification === 'FALSE_POSITIVE' : outcome === 'false_alarm';

/** Returns how an alarm looks now. */
export const kindOf = (alarm: Alarm, userId: number, now: number): StateKind => {
  const { state, acknowledgement, createDate } = alarm;
  if (state === 'over' || now - createDate > RECENT_MS) return 'plain';
  if (state === 'acknowledged') return acknowledgement?.userId === userId ? 'mine' : 'theirs';
  return isOffline(alarm) ? 'offline' : 'open';
};
