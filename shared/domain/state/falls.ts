import { type EventDetails, eventOf, fallAlarms, lateEvent, type Situation } from '../event/event.ts';
import { type FallSignal, type FallStatus, REPEATED_WITHIN } from '../event/message.ts';
import { regionAt } from '../sensor/region-of-point.ts';
import { type Fall, isEnded, type Mark, type SensorState, type Step } from '../sensor/sensor-state.ts';
import { startOfFall, withoutLoop } from './loop.ts';
import { remembered } from './memory.ts';
import { isLate, type RoomContext, type When } from './room-context.ts';

/** How many falls are remembered, so that a late or repeated message is matched to its fall. */
const FALLS_KEPT = 6;
/** How many falls that wait for their alarm are remembered in addition. */
const WAITING_KEPT = 30;

const markOf: Record<FallStatus, Mark> = {
  fall_detected: 'd',
  fall_confirmed: 'c',
  calling: 'a',
  finished: 'f',
  fall_exit: 'x',
  canceled: 'x',
};

// The raw status `fall_detected` only starts an analysis; the fall is reported with `calling`.
const situationOf: Record<Mark, Situation> = {
  d: 'fall_suspected',
  c: 'fall_confirmed',
  a: 'fall_detected',
  f: 'fall_finished',
  x: 'fall_canceled',
};
const sensitiveSituationOf: Record<Mark, Situation> = {
  ...situationOf,
  d: 'fall_suspected_sensitive',
  a: 'fall_detected_sensitive',
};

export const isFirstOfFall = (situation: Situation): boolean => fallAlarms.includes(situation);

/**
 * Can a fall no longer get this mark? An ended fall does not change, with one exception: `finished` only follows
 * `calling`, so a `calling` that comes after it was merely late, and still is reported.
 */
const isOver = (fall: Fall, mark: Mark): boolean => isEnded(fall) && (mark !== 'a' || fall.seen.includes('x'));

const eventOfFall = (fall: Fall, mark: Mark): EventDetails => {
  const { isSensitive, point = null, region = null, isSimulated = false, isSilent = false } = fall;
  const situation = (isSensitive ? sensitiveSituationOf : situationOf)[mark];
  const subject = { fall: fall.start, ...(isSensitive && { isSensitive }) };
  return eventOf(situation, { point, region, isSimulated, isSilent, newFall: isFirstOfFall(situation), subject });
};

/** Removes from an ended fall everything that is not needed to recognise a repeated or late report. */
const kept = (fall: Fall): Fall => {
  const { start, seen, time, isSensitive, point, region = point ? null : undefined } = fall;
  if (!isEnded(fall)) return fall;
  const mayAlarm = region !== undefined && !seen.includes('a');
  return { start, seen, ...(time && { time }), ...(isSensitive && { isSensitive }), ...(mayAlarm && { region }) };
};

const isSame = (a: Fall, b: Pick<Fall, 'start' | 'isSensitive'>): boolean =>
  a.start === b.start && (a.isSensitive ?? false) === (b.isSensitive ?? false);

/** Is it a fall that will raise an alarm unless it ends first? If it were forgotten, the alarm would be lost. */
const isWaiting = ({ seen, isSensitive }: Fall): boolean => !isSensitive && !/[afx]/.test(seen);

/** Removes falls above the limit: ended ones first. */
const rememberedFalls = (falls: readonly Fall[]): Fall[] => {
  const rankOf = (fall: Fall): number => {
    if (isEnded(fall)) return 0;
    return isWaiting(fall) ? 2 : 1;
  };
  return remembered(falls, FALLS_KEPT + falls.filter(isWaiting).length, rankOf);
};

/** Moves a fall to a new state at `at` (ms, the service's clock). */
export const moveFall = (state: SensorState, fall: Fall, mark: Mark, at: number): Step => {
  const next = kept({ ...fall, seen: fall.seen + mark, at });
  const falls = rememberedFalls([...state.falls.filter((known) => !isSame(known, fall)), next]);
  const moved = { ...(mark === 'a' ? withoutLoop(state) : state), falls };
  return { state: moved, happened: [eventOfFall(fall, mark)] };
};

/**
 * Handles the start of a fall: it may complete a fall loop, and if the firmware has no state confirmed, the fall is
 * confirmed at once.
 */
const begin = (step: Step, start: FallSignal, { received, time }: When, { timings }: RoomContext): Step => {
  const fall = step.state.falls.at(-1);
  if (start.isSensitive || !fall || fall.seen.includes('a')) return step;
  const confirmed = timings.confirm === null && !fall.seen.includes('c');
  const next = confirmed ? moveFall(step.state, fall, 'c', received) : { state: step.state, happened: [] };
  const { region = null } = fall;
  const loop = startOfFall(next.state, time, { ...start, region });
  return { state: loop.state, happened: [...step.happened, ...next.happened, ...loop.happened] };
};

/** If more falls wait for their alarm than can be remembered, the oldest one raises its alarm now. */
const withoutSurplus = (step: Step, received: number): Step => {
  const waiting = step.state.falls.filter(isWaiting);
  const [oldest] = waiting;
  if (!oldest || waiting.length <= WAITING_KEPT) return step;
  const { state, happened } = moveFall(step.state, oldest, 'a', received);
  return { state, happened: [...step.happened, ...happened] };
};

/**
 * The fall of a report, if it is known. A report that does not say which one belongs to the open fall of its kind, but a
 * state that this had too long ago for a repetition begins another.
 */
const fallOf = ({ falls }: SensorState, signal: FallSignal, mark: Mark, received: number): Fall | undefined => {
  const { start, isSensitive } = signal;
  if (start !== null) return falls.find((fall) => isSame(fall, { start, isSensitive }));
  const open = falls.findLast((fall) => !isEnded(fall) && (fall.isSensitive ?? false) === isSensitive);
  const marked = open?.markedAt?.[mark] ?? open?.at ?? 0;
  return open?.seen.includes(mark) && received - marked > REPEATED_WITHIN ? undefined : open;
};

/** A fall as it is after a report, but for the mark. */
const reported = (
  known: Fall | undefined,
  { signal, mark }: { signal: FallSignal; mark: Mark },
  { received, time, isBelieved }: When,
  { places }: RoomContext,
): Fall => {
  const { isSensitive, isSimulated, isSilent } = signal;
  const point = signal.point ?? known?.point;
  const isPlaced = known?.region !== undefined || Boolean(known?.point);
  const region = isPlaced ? known?.region : point && regionAt(places, point);
  const newest = isBelieved ? Math.max(time, known?.time ?? time) : known?.time;
  return {
    start: signal.start ?? known?.start ?? received,
    seen: known?.seen ?? '',
    // That of its start need not be kept twice: the state is written with each message.
    ...(newest !== undefined && newest !== signal.start && { time: newest }),
    ...(signal.start === null && { markedAt: { ...known?.markedAt, [mark]: received } }),
    ...(isSensitive && { isSensitive }),
    ...(point && { point }),
    ...(region && { region }),
    ...(isSimulated && { isSimulated }),
    ...(isSilent && { isSilent }),
  };
};

/**
 * Steps the state of a sensor by a report of a fall. Each state of each fall is reported once. A report that is older than
 * another one of its fall is late, and changes nothing, but a late `calling` still is an alarm.
 */
export const fallStep = (state: SensorState, signal: FallSignal, when: When, around: RoomContext): Step => {
  const { received } = when;
  const mark = markOf[signal.status];
  const known = fallOf(state, signal, mark, received);
  const isOld = isLate(when, known?.time ?? (signal.start === null ? undefined : known?.start));
  const isTold = known?.seen.includes(mark) ?? false;
  if (isOld && (mark !== 'a' || isTold)) return { state, happened: [lateEvent] };
  if (known && (isTold || (!isOld && isOver(known, mark)))) return { state, happened: [] };
  const step = moveFall(state, reported(known, { signal, mark }, when, around), mark, received);
  return withoutSurplus(mark === 'd' ? begin(step, signal, when, around) : step, received);
};
