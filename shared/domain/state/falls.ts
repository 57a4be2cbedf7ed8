import { type Happening, happening, type Situation } from '../event.ts';
import type { FallSignal, FallStatus } from '../message.ts';
import { type Fall, isEnded, type Mark, type SensorState, type Step } from '../sensor-state.ts';
import { startOfFall, withoutLoop } from './loop.ts';
import { remembered } from './memory.ts';
import type { RoomContext } from './room-context.ts';

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

/** The situations whose first event in a fall no rate limit may suppress. */
const alarms: readonly Situation[] = ['fall_suspected', 'fall_detected', 'fall_detected_sensitive'];
export const isFirstOfFall = (situation: Situation): boolean => alarms.includes(situation);

/**
 * Can a fall no longer get this mark? An ended fall does not change, with one exception: `finished` only follows
 * `calling`, so a `calling` that comes after it was merely late, and still is reported.
 */
const isOver = (fall: Fall, mark: Mark): boolean => isEnded(fall) && (mark !== 'a' || fall.seen.includes('x'));

const told = (fall: Fall, mark: Mark): Happening => {
  const { isSensitive, point = null, isSimulated = false, isSilent = false } = fall;
  const situation = (isSensitive ? sensitiveSituationOf : situationOf)[mark];
  return happening(situation, { point, isSimulated, isSilent, newFall: isFirstOfFall(situation) });
};

/** Removes from an ended fall everything that is not needed to recognise a repeated report. */
const kept = (fall: Fall): Fall => {
  const { start, seen, isSensitive } = fall;
  return isEnded(fall) ? { start, seen, ...(isSensitive && { isSensitive }) } : fall;
};

const isSame = (a: Fall, b: Pick<Fall, 'start' | 'isSensitive'>): boolean =>
  a.start === b.start && (a.isSensitive ?? false) === (b.isSensitive ?? false);

/** Is it a fall that will raise an alarm unless it ends first? If it were forgotten, the alarm would be lost. */
const isWaiting = ({ seen, isSensitive }: Fall): boolean => !isSensitive && !/[afx]/.test(seen);

/** Removes falls above the limit: ended ones first. */
const rememberedFalls = (falls: readonly Fall[]): Fall[] =>
  remembered(falls, FALLS_KEPT + falls.filter(isWaiting).length, (fall) =>
    isEnded(fall) ? 0 : isWaiting(fall) ? 2 : 1,
  );

/** Moves a fall to a new state at `at` (ms, the service's clock). */
export const moveFall = (state: SensorState, fall: Fall, mark: Mark, at: number): Step => {
  const next = kept({ ...fall, seen: fall.seen + mark, at });
  const falls = rememberedFalls([...state.falls.filter((one) => !isSame(one, fall)), next]);
  const moved = { ...(mark === 'a' ? withoutLoop(state) : state), falls };
  return { state: moved, happened: [told(fall, mark)] };
};

/**
 * Handles the start of a fall: it may complete a fall loop, and if the firmware has no state confirmed, the fall is
 * confirmed at once.
 */
const begin = (step: Step, start: FallSignal, received: number, time: number, { timings }: RoomContext): Step => {
  const fall = step.state.falls.at(-1);
  if (start.isSensitive || !fall || fall.seen.includes('a')) return step;
  const confirmed = timings.confirm === null && !fall.seen.includes('c');
  const next = confirmed ? moveFall(step.state, fall, 'c', received) : { state: step.state, happened: [] };
  const loop = startOfFall(next.state, time, start);
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
 * Steps the state of a sensor by a report of a fall. Each state of each fall is reported once. `time` is when it
 * happened (ms).
 */
export const fallStep = (
  state: SensorState,
  signal: FallSignal,
  { received, time }: { received: number; time: number },
  around: RoomContext,
): Step => {
  const mark = markOf[signal.status];
  const { isSensitive, point, isSimulated, isSilent } = signal;
  const start = signal.start ?? received;
  const known = state.falls.find((one) => isSame(one, { start, isSensitive }));
  if (known && (known.seen.includes(mark) || isOver(known, mark))) return { state, happened: [] };
  const fall: Fall = {
    start,
    seen: known?.seen ?? '',
    ...(isSensitive && { isSensitive }),
    ...((point ?? known?.point) && { point: point ?? known?.point ?? null }),
    ...(isSimulated && { isSimulated }),
    ...(isSilent && { isSilent }),
  };
  const step = moveFall(state, fall, mark, received);
  return withoutSurplus(mark === 'd' ? begin(step, signal, received, time, around) : step, received);
};
