import { type EventDetails, eventOf } from '../event/event.ts';
import { type Fall, isEnded, type SensorState, UNCLEAR_MS } from '../sensor/sensor-state.ts';
import { dueMove, isTimed } from './due-move.ts';
import { moveFall, withoutPeople } from './falls.ts';
import type { Timings } from './room-context.ts';

const openFalls = ({ falls }: SensorState): Fall[] => falls.filter((fall) => !isEnded(fall));

/** Whether there are falls that time may advance. */
export const hasOpenFall = (state: SensorState): boolean => openFalls(state).length > 0;

/** Returns when (ms) the first fall ended by time alone stops being listed as open; Infinity if there is none. */
export const nextClear = ({ falls }: SensorState): number =>
  Math.min(...falls.flatMap(({ endedByTime }) => (endedByTime === undefined ? [] : [endedByTime + UNCLEAR_MS])));

/** Returns when (ms) time next changes a fall: any fall, or only one with a pending alarm. */
export const nextMove = (state: SensorState, timings: Timings, kind: 'any' | 'alarm'): number => {
  const moves = openFalls(state).map((fall) => dueMove(fall, timings));
  const next = moves.filter(({ isAlarm }) => isAlarm || kind === 'any').map(({ dueAt }) => dueAt);
  return Math.min(...next, kind === 'any' ? nextClear(state) : Number.POSITIVE_INFINITY);
};

/** Returns when (ms) time next advances a fall from phase to phase; Infinity if there is none. */
export const nextCheck = (state: SensorState, timings: Timings): number => {
  const timed = openFalls(state).filter(isTimed);
  return Math.min(...timed.map((fall) => dueMove(fall, timings).dueAt));
};

/** An event and its time (ms). */
export type DatedEvent = { happening: EventDetails; createDate: number };

/**
 * Returns the state without the marks on falls that time alone ended long ago. If there are no such marks, the same
 * object is returned.
 */
const withoutCleared = (state: SensorState, now: number): SensorState => {
  if (nextClear(state) > now) return state;
  const falls = state.falls.map((fall) => {
    const { endedByTime } = fall;
    return endedByTime !== undefined && endedByTime + UNCLEAR_MS <= now ? withoutPeople(fall) : fall;
  });
  return { ...state, falls };
};

/**
 * Advances the sensor state to `now` (ms) without a message. Falls advance from phase to phase, each at its own time,
 * and an active sensor becomes inactive if `silentAt` (ms) has passed.
 */
export const passTime = (
  before: SensorState,
  { now, silentAt, timings }: { now: number; silentAt: number; timings: Timings },
): { state: SensorState; events: DatedEvent[] } => {
  let state = before;
  const events: DatedEvent[] = [];
  for (;;) {
    const due = openFalls(state)
      .map((fall) => ({ fall, ...dueMove(fall, timings) }))
      .sort((a, b) => a.dueAt - b.dueAt)
      .find(({ dueAt }) => dueAt <= now);
    if (!due) break;
    const isEnd = due.phase === 'finished';
    // For people, a suspicion ended by time is over; an alarm is not.
    const isUnclear = isEnd && due.fall.phases.includes('calling');
    const fall: Fall = {
      ...due.fall,
      ...(isEnd && { isUnreported: true }),
      ...(isUnclear && { endedByTime: due.at }),
    };
    const step = moveFall(state, fall, due.phase, due.at);
    state = step.state;
    events.push(...step.events.map((happening) => ({ happening, createDate: due.at })));
  }
  state = withoutCleared(state, now);
  if (!state.isActive || silentAt > now) return { state, events };
  events.push({ happening: eventOf('sensor_inactive'), createDate: now });
  return { state: { ...state, isActive: false }, events };
};
