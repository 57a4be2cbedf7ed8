import { type Happening, happening } from '../event.ts';
import type { Fall, Mark, SensorState } from '../sensor-state.ts';
import { isEnded, moveFall } from './falls.ts';
import type { Timings } from './room-context.ts';

/** Time moves a fall only when its device, which may do it itself, is this late with it, ms. */
const DEVICE_DELAY = 3_000;
/** A fall that nothing moves is ended so long (ms) after all its times. */
const STALE = 60_000;

type Due = { mark: Mark; at: number; dueAt: number; isAlarm: boolean };

/** Only a fall whose beginning was told is moved by time; the others are merely over one day. */
const isTimed = ({ seen, isSensitive = false }: Pick<Fall, 'seen'> & { isSensitive?: boolean | undefined }): boolean =>
  !isSensitive && /[dc]/.test(seen);

/** What time makes of a fall that goes on: its next state, when it is in it and when that is decided, ms. */
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

/** When time moves a fall next, ms: any fall, or one on its way to an alarm. */
export const nextMove = (state: SensorState, timings: Timings, what: 'any' | 'alarm'): number => {
  const dues = openFalls(state).map((fall) => dueOf(fall, timings));
  return Math.min(...dues.filter(({ isAlarm }) => isAlarm || what === 'any').map(({ dueAt }) => dueAt));
};

/** When, by the falls that time moves before they end, somebody should look again, ms; Infinity: never. */
export const nextLook = (state: SensorState, timings: Timings): number => {
  const timed = openFalls(state).filter(isTimed);
  return Math.min(...timed.map((fall) => dueOf(fall, timings).dueAt));
};

/** Something that happened at a time, ms. */
export type Dated = { happening: Happening; createDate: number };

/**
 * What becomes of a state by `now` without a message: falls move on, one state after the other, each at its own time; a
 * sensor that called is active again, one that is silent since `silentAt` is inactive.
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
  events.push({ happening: happening('sensor_inactive'), createDate: now });
  return { state: { ...state, isActive: false }, events };
};
