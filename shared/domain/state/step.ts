import { eventOf, lateEvent, unknownEvent } from '../event/event.ts';
import type { Signal } from '../event/message.ts';
import { reactivated, type SensorState, type Step } from '../sensor/sensor-state.ts';
import { hasBeginning } from './due-move.ts';
import { fallStep } from './falls.ts';
import { bedExitStep, changedRegions, presenceStep } from './regions.ts';
import { isLate, type MessageTime, type RoomContext } from './room-context.ts';
import { signStep, vitalStep } from './signs.ts';
import { hasOpenFall } from './time.ts';
import { moveStep, peopleStep, poseStep } from './tracks.ts';
import { understandingAfter } from './understanding.ts';

/** Applies several items to a state one by one, and collects the events. */
const stepEach = <T>(state: SensorState, items: readonly T[], step: (state: SensorState, item: T) => Step): Step =>
  items.reduce<Step>(
    (before, item) => {
      const next = step(before.state, item);
      // A message counts as late only once, even if several of its items are late.
      const added = next.events.filter((event) => event !== lateEvent || !before.events.includes(event));
      return { state: next.state, events: [...before.events, ...added] };
    },
    { state, events: [] },
  );

const stepOf = (state: SensorState, signal: Signal, when: MessageTime, roomContext: RoomContext): Step => {
  switch (signal.kind) {
    case 'presence':
      return presenceStep(state, signal, when, roomContext);
    case 'fall':
      return fallStep(state, signal, when, roomContext);
    case 'bed_exit':
      return bedExitStep(state, signal.point, when.time, roomContext);
    case 'people':
      if (isLate(when, state.presenceAt)) return { state, events: [] };
      return peopleStep({ ...state, ...(when.time !== when.received && { presenceAt: when.time }) }, signal.count);
    case 'moves':
      return stepEach(state, signal.moves, (before, move) => moveStep(before, move, roomContext.regions, when));
    case 'postures':
      return stepEach(state, signal.postures, (before, { track, pose }) =>
        poseStep(before, { id: track, pose }, when, roomContext.bounds),
      );
    case 'sign':
      return signStep(state, signal.situation, when.received);
    case 'vital':
      return vitalStep(state, signal.alarm, signal.hasReading);
    case 'unknown':
      return { state, events: [unknownEvent] };
    case 'online':
    case 'state':
      return { state, events: [] };
  }
};

const isLearning = (signal: Signal): boolean | undefined => (signal.kind === 'fall' ? signal.isLearning : undefined);

/** Whether this signal reports the end of the learning phase. */
export const endsLearning = (state: SensorState, signal: Signal): boolean =>
  state.learning === true && isLearning(signal) === false;

const withLearning = ({ learning, ...state }: SensorState, signal: Signal): SensorState =>
  (isLearning(signal) ?? learning) ? { ...state, learning: true } : state;

/**
 * Applies one signal to the sensor state. Any message makes an inactive sensor active, except a report that the sensor
 * is going offline.
 */
export const step = (before: SensorState, signal: Signal, when: MessageTime, roomContext: RoomContext): Step => {
  const { understanding: _, ...known } = before;
  const counted = understandingAfter(before, signal, when.received);
  const seen = { ...known, ...counted, lastSeen: Math.max(before.lastSeen, when.received) };
  const isHeardAgain = before.isActive && when.received > before.lastSeen;
  const state = withLearning(isHeardAgain ? { ...seen, isSteady: true } : seen, signal);
  if (signal.kind === 'online' && !signal.isOnline)
    return { state: { ...state, isActive: false }, events: before.isActive ? [eventOf('sensor_inactive')] : [] };
  const { state: next, events } = stepOf(before.isActive ? state : reactivated(state), signal, when, roomContext);
  // The event for the message itself comes first, because the first event gets the message UUID.
  return { state: next, events: before.isActive ? events : [...events, eventOf('sensor_active')] };
};

type Needs = { regions: boolean; places: boolean; critical: boolean };
const none: Needs = { regions: false, places: false, critical: false };

/**
 * Returns the parts of the room context needed by a step: the regions, their bounds, the critical configuration. Most
 * steps need none.
 */
export const needsOf = (state: SensorState, signal: Signal): Needs => {
  switch (signal.kind) {
    case 'presence': {
      const changed = changedRegions(state, signal);
      const someoneLeft = changed.some((index) => !signal.regions[index]);
      return { ...none, regions: changed.length > 0, critical: someoneLeft && state.bedExit !== undefined };
    }
    case 'bed_exit':
      return { ...none, regions: true, critical: state.bedExit !== undefined };
    case 'moves':
      return { ...none, regions: signal.moves.some(({ area }) => area !== null) };
    case 'fall':
      return { ...none, places: true, critical: !signal.isSensitive && startsOrAdvances(state, signal) };
    case 'postures':
      return { ...none, places: true };
    default:
      return none;
  }
};

/** Whether the fall starts, or is advanced by time. */
const startsOrAdvances = (state: SensorState, { status, start }: Extract<Signal, { kind: 'fall' }>): boolean =>
  status === 'fall_detected' ||
  status === 'fall_confirmed' ||
  (hasOpenFall(state) && state.falls.some((fall) => (start === null || fall.start === start) && hasBeginning(fall)));
