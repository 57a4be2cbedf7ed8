import { type EventDetails, eventOf } from '../event/event.ts';
import { type Fall, isEnded, type Mark, type SensorState } from '../sensor/sensor-state.ts';
import { moveFall } from './falls.ts';
import type { Timings } from './room-context.ts';

/**
 * Time moves a fall only so many ms after its device should have done it, because the report of the device may be late.
 */
const DEVICE_DELAY = 3_000;
/** A fall that nothing moves ends so many ms after all its durations. */
const STALE = 60_000;

type Due = { mark: Mark; at: number; dueAt: number; isAlarm: boolean };

/**
 * Does time move the fall from state to state? It does not move sensitive falls and falls whose beginning was not
 * reported: these merely end some day.
 */
const isTimed = ({ seen, isSensitive = false }: Pick<Fall, 'seen'> & { isSensitive?: boolean | undefined }): boolean =>
  !isSensitive && /[dc]/.test(seen);

/** Gives the next state of a fall, when (ms) the fall reaches it by time alone, and when (ms) that is decided. */
const dueOf = ({ seen, at = 0, isSensitive }: Fall, { confirm, alert, calling }: Timings): Due => {
  const after = (mark: Mark, seconds: number) => {
    const time = at + seconds * 1_000;
    return { mark, at: time, dueAt: time + DEVICE_DELAY, isAlarm: mark !== 'f' };
  };
  if (!isTimed({ seen, isSensitive })) {
    const end = at + ((confirm ?? 0) + alert + calling) * 1_000 + STALE;
    return { mark: 'f', at: end, dueAt: end, isAlarm: false };
  }
  if (seen.includes('a')) return after('f', calling);
  return seen.includes('c') ? after('a', alert) : after('c', confirm ?? 0);
};

const openFalls = ({ falls }: SensorState): Fall[] => falls.filter((fall) => !isEnded(fall));

/** Are there falls that time may move? */
export const hasOpenFall = (state: SensorState): boolean => openFalls(state).length > 0;

/**
 * Gives the time (ms) at which time moves the next fall: any fall, or only a fall that has not raised its alarm yet.
 */
export const nextMove = (state: SensorState, timings: Timings, what: 'any' | 'alarm'): number => {
  const dues = openFalls(state).map((fall) => dueOf(fall, timings));
  return Math.min(...dues.filter(({ isAlarm }) => isAlarm || what === 'any').map(({ dueAt }) => dueAt));
};

/**
 * Gives the time (ms) of the next check of falls that time moves from state to state. It is Infinity if there are none.
 */
export const nextLook = (state: SensorState, timings: Timings): number => {
  const timed = openFalls(state).filter(isTimed);
  return Math.min(...timed.map((fall) => dueOf(fall, timings).dueAt));
};

/** An event and the time (ms) at which it happened. */
export type Dated = { happening: EventDetails; createDate: number };

/**
 * Steps the state of a sensor to `now` without a message: falls move from state to state, each change at its own time,
 * and a sensor becomes inactive if it has been silent since `silentAt`.
 */
export const passTime = (
  before: SensorState,
  { now, silentAt, timings }: { now: number; silentAt: number; timings: Timings },
): { state: SensorState; events: Dated[] } => {
  let state = before;
  const events: Dated[] = [];
  for (;;) {
    const due = openFalls(state)
      .map((fall) => ({ fall, ...dueOf(fall, timings) }))
      .sort((a, b) => a.dueAt - b.dueAt)
      .find(({ dueAt }) => dueAt <= now);
    if (!due) break;
    const step = moveFall(state, due.fall, due.mark, due.at);
    state = step.state;
    events.push(...step.happened.map((what) => ({ happening: what, createDate: due.at })));
  }
  if (!state.isActive || silentAt > now) return { state, events };
  events.push({ happening: eventOf('sensor_inactive'), createDate: now });
  return { state: { ...state, isActive: false }, events };
};
