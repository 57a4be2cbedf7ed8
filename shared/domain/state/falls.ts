import { type EventDetails, eventOf, fallAlarms, lateEvent, type Situation } from '../event/event.ts';
import { DUPLICATE_WINDOW, type FallSignal, type FallStatus } from '../event/message.ts';
import { regionAt } from '../sensor/region-of-point.ts';
import {
  type Fall,
  type FallPhase,
  isEnded,
  mayLieThere,
  type SensorState,
  type Step,
} from '../sensor/sensor-state.ts';
import { recordFallStart, withoutLoop } from './loop.ts';
import { remembered } from './memory.ts';
import { isLate, type MessageTime, type RoomContext } from './room-context.ts';

/** How many falls are remembered, so that late and duplicate messages can be matched to their fall. */
const MAX_FALLS = 6;
/** How many more falls are remembered if their alarm is pending. */
const MAX_PENDING = 30;

const phaseOf: Record<FallStatus, FallPhase> = {
  fall_detected: 'detected',
  fall_confirmed: 'confirmed',
  calling: 'calling',
  finished: 'finished',
  fall_exit: 'canceled',
  canceled: 'canceled',
};

// The raw status `fall_detected` only starts an analysis; the fall is reported with `calling`.
const situationOf: Record<FallPhase, Situation> = {
  detected: 'fall_suspected',
  confirmed: 'fall_confirmed',
  calling: 'fall_detected',
  finished: 'fall_finished',
  canceled: 'fall_canceled',
};
const sensitiveSituationOf: Record<FallPhase, Situation> = {
  ...situationOf,
  detected: 'fall_suspected_sensitive',
  calling: 'fall_detected_sensitive',
};

export const isFirstOfFall = (situation: Situation): boolean => fallAlarms.includes(situation);

const isEnd = (phase: FallPhase): boolean => phase === 'finished' || phase === 'canceled';

/**
 * Whether a fall can no longer reach a phase. An ended fall does not change, with one exception. `finished` only
 * follows `calling`, so a `calling` that arrives after `finished` was merely late, and is still reported.
 */
const isOver = (fall: Fall, phase: FallPhase): boolean =>
  isEnded(fall) && (phase !== 'calling' || fall.phases.includes('canceled'));

const eventOfFall = (fall: Fall, phase: FallPhase): EventDetails => {
  const { isSensitive, point = null, region = null, isSimulated = false, isSilent = false } = fall;
  const situation = (isSensitive ? sensitiveSituationOf : situationOf)[phase];
  const subject = { fall: fall.start, ...(isSensitive && { isSensitive }) };
  return eventOf(situation, { point, region, isSimulated, isSilent, newFall: isFirstOfFall(situation), subject });
};

/** Returns the fields that people and escalations still need after time alone has ended a fall. */
const forPeople = ({ endedByTime, isUnreported, isSimulated, isAcknowledged }: Fall): Partial<Fall> => ({
  ...(isUnreported && { isUnreported }),
  ...(endedByTime !== undefined && {
    endedByTime,
    ...(isSimulated && { isSimulated }),
    ...(isAcknowledged && { isAcknowledged }),
  }),
});

/** Returns a fall without the fields only people need. */
export const withoutPeople = ({ endedByTime: _, isSimulated: __, isAcknowledged: ___, ...fall }: Fall): Fall => fall;

/** Removes everything from an ended fall that is not needed to recognize a duplicate or late report. */
const compacted = (fall: Fall): Fall => {
  const { start, phases, time, isSensitive, closedAt, point, region = point ? null : undefined } = fall;
  if (!isEnded(fall)) return fall;
  const mayAlarm = region !== undefined && !phases.includes('calling');
  return {
    start,
    phases,
    ...(time && { time }),
    ...(isSensitive && { isSensitive }),
    ...(mayAlarm && { region }),
    ...forPeople(fall),
    ...(closedAt && { closedAt }),
  };
};

const isSame = (a: Fall, b: Pick<Fall, 'start' | 'isSensitive'>): boolean =>
  a.start === b.start && (a.isSensitive ?? false) === (b.isSensitive ?? false);

/** Whether a fall will raise an alarm unless it ends first. Forgetting it would lose the alarm. */
const isAlarmPending = (fall: Fall): boolean => !fall.isSensitive && !isEnded(fall) && !fall.phases.includes('calling');

/** Removes falls above the limit, ended falls first. */
export const rememberedFalls = (falls: readonly Fall[]): Fall[] => {
  const rankOf = (fall: Fall): number => {
    if (!mayLieThere(fall)) return 0;
    return isAlarmPending(fall) ? 2 : 1;
  };
  return remembered(falls, MAX_FALLS + falls.filter(isAlarmPending).length, rankOf);
};

/** Returns a fall whose end was reported, with the marks for an end by time alone removed. */
export const reportedEnd = (fall: Fall): Fall => {
  const { isUnreported: _, ...ended } = withoutPeople(fall);
  return ended;
};

/** Returns the state after the device reported the end of a fall already ended by time. */
const withReportedEnd = (state: SensorState, fall: Fall): SensorState => ({
  ...state,
  falls: state.falls.map((other) => (other === fall ? reportedEnd(fall) : other)),
});

/** Moves a fall to a new phase at `at` (ms, service clock). */
export const moveFall = (state: SensorState, fall: Fall, phase: FallPhase, at: number): Step => {
  const next = compacted({ ...fall, phases: [...fall.phases, phase], at });
  const falls = rememberedFalls([...state.falls.filter((known) => !isSame(known, fall)), next]);
  const moved = { ...(phase === 'calling' ? withoutLoop(state) : state), falls };
  return { state: moved, events: [eventOfFall(fall, phase)] };
};

/**
 * Handles the start of a fall, which may complete a fall loop. If the firmware has no `confirmed` state, the fall is
 * confirmed immediately.
 */
const begin = (step: Step, start: FallSignal, { received, time }: MessageTime, { timings }: RoomContext): Step => {
  const fall = step.state.falls.at(-1);
  if (start.isSensitive || !fall || fall.phases.includes('calling')) return step;
  const confirmed = timings.confirm === null && !fall.phases.includes('confirmed');
  const next = confirmed ? moveFall(step.state, fall, 'confirmed', received) : { state: step.state, events: [] };
  const { region = null } = fall;
  const loop = recordFallStart(next.state, time, { ...start, region });
  return { state: loop.state, events: [...step.events, ...next.events, ...loop.events] };
};

/** If there are more pending alarms than can be remembered, the oldest fall raises its alarm now. */
const withoutSurplus = (step: Step, received: number): Step => {
  const pending = step.state.falls.filter(isAlarmPending);
  const [oldest] = pending;
  if (!oldest || pending.length <= MAX_PENDING) return step;
  const { state, events } = moveFall(step.state, oldest, 'calling', received);
  return { state, events: [...step.events, ...events] };
};

/**
 * Returns the fall a report is about, if known. A report without a start belongs to the open fall of the same kind,
 * unless that fall reached the same phase too long ago for the report to be a duplicate. If no fall is open, a report
 * of an end, or any report soon after a closure, belongs to the fall that people closed most recently.
 */
const fallOf = ({ falls }: SensorState, signal: FallSignal, phase: FallPhase, received: number): Fall | undefined => {
  const { start, isSensitive, isOnCall } = signal;
  if (start !== null) return falls.find((fall) => isSame(fall, { start, isSensitive }));
  const ofKind = falls.filter((fall) => (fall.isSensitive ?? false) === isSensitive);
  const open = ofKind.findLast((fall) => (isOnCall ? mayLieThere(fall) : !isEnded(fall)));
  if (!open)
    return ofKind.findLast(({ closedAt }) => closedAt && (isEnd(phase) || received - closedAt <= DUPLICATE_WINDOW));
  const reportedAt = open.phaseDates?.[phase] ?? open.at ?? 0;
  return !isOnCall && open.phases.includes(phase) && received - reportedAt > DUPLICATE_WINDOW ? undefined : open;
};

/** Returns a fall after a report, without the phase added by the report. */
const reported = (
  known: Fall | undefined,
  { signal, phase }: { signal: FallSignal; phase: FallPhase },
  { received, time, isTrusted }: MessageTime,
  { bounds }: RoomContext,
): Fall => {
  const { isSensitive, isSimulated, isSilent } = signal;
  const point = signal.point ?? known?.point;
  const hasPlace = known?.region !== undefined || Boolean(known?.point);
  const region = hasPlace ? known?.region : point && regionAt(bounds, point);
  const newest = isTrusted ? Math.max(time, known?.time ?? time) : known?.time;
  return {
    start: signal.start ?? known?.start ?? received,
    phases: known?.phases ?? [],
    // A time equal to the start is not stored again, because the state is written with each message.
    ...(newest !== undefined && newest !== signal.start && { time: newest }),
    ...(signal.start === null && { phaseDates: { ...known?.phaseDates, [phase]: received } }),
    ...(isSensitive && { isSensitive }),
    ...(point && { point }),
    ...(region && { region }),
    ...(isSimulated && { isSimulated }),
    ...(isSilent && { isSilent }),
    ...(known?.isAcknowledged && { isAcknowledged: true }),
    ...(known?.isUnreported && { isUnreported: true }),
  };
};

/**
 * Applies a fall report to the sensor state. Each phase is reported once per fall. A report older than another report
 * about the fall is late and changes nothing, but a late `calling` still raises the alarm.
 */
export const fallStep = (state: SensorState, signal: FallSignal, when: MessageTime, roomContext: RoomContext): Step => {
  const { received } = when;
  const phase = phaseOf[signal.status];
  const known = fallOf(state, signal, phase, received);
  if (known?.closedAt) return { state, events: [] };
  const isOld = isLate(when, known?.time ?? (signal.start === null ? undefined : known?.start));
  const isKnown = known?.phases.includes(phase) ?? false;
  if (isOld && (phase !== 'calling' || isKnown)) return { state, events: [lateEvent] };
  if (known && (isKnown || (!isOld && isOver(known, phase)))) {
    const isReportedEnd = known.isUnreported || known.endedByTime !== undefined;
    return { state: isReportedEnd && isEnd(phase) ? withReportedEnd(state, known) : state, events: [] };
  }
  const step = moveFall(state, reported(known, { signal, phase }, when, roomContext), phase, received);
  return withoutSurplus(phase === 'detected' ? begin(step, signal, when, roomContext) : step, received);
};
