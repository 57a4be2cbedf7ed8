import { type Happening, happening, type Situation, unknownHappening } from './event.ts';
import type { FallStatus, Signal } from './message.ts';

/** One fall of a sensor: its start (ms, the device's clock) and the statuses that were reported of it. */
export type Fall = { start: number; seen: FallStatus[] };

/** What the cloud knows of a sensor's room. One item in the table, fenced by `version`. */
export type SensorState = {
  version: number;
  /** ms of the newest authenticated message. */
  lastSeen: number;
  isActive: boolean;
  presence: boolean | null;
  falls: Fall[];
  /** When each rule fired last for this sensor, ms; forgotten once no rate limit can ask for it. */
  fired: Record<string, number>;
};

export const newSensorState: SensorState = {
  version: 0,
  lastSeen: 0,
  isActive: false,
  presence: null,
  falls: [],
  fired: {},
};

/** Falls that are remembered, so that a message which comes late or again finds its own. */
const FALLS_KEPT = 8;

// The raw status `fall_detected` only starts an analysis; the fall is reported with `calling`.
const situationOf: Record<FallStatus, Situation> = {
  fall_detected: 'fall_suspected',
  fall_confirmed: 'fall_confirmed',
  calling: 'fall_detected',
  finished: 'fall_finished',
  fall_exit: 'fall_canceled',
  canceled: 'fall_canceled',
};

type Step = { state: SensorState; happened: Happening[] };

const presence = (state: SensorState, signal: Extract<Signal, { kind: 'presence' }>): Step => {
  const before = state.presence ?? false;
  const next = { ...state, presence: signal.present };
  if (signal.present === before) return { state: next, happened: [] };
  const situation = signal.present ? 'occupied_room' : 'empty_room';
  return { state: next, happened: [happening(situation, { point: signal.point })] };
};

/** No rate limit may swallow the first of these within one fall. */
const alarms: readonly Situation[] = ['fall_suspected', 'fall_detected', 'fall_detected_sensitive'];

/**
 * An ended fall stays ended. But `finished` only follows `calling`: one that comes after it was merely late, and still
 * has to be told.
 */
const isOver = ({ seen }: Fall, status: FallStatus): boolean =>
  seen.includes('canceled') || seen.includes('fall_exit') || (seen.includes('finished') && status !== 'calling');

const fall = (state: SensorState, signal: Extract<Signal, { kind: 'fall' }>): Step => {
  const known = state.falls.find(({ start }) => start === signal.start);
  if (known && (known.seen.includes(signal.status) || isOver(known, signal.status))) return { state, happened: [] };
  const updated: Fall = { start: signal.start, seen: [...(known?.seen ?? []), signal.status] };
  const falls = [...state.falls.filter((one) => one !== known), updated].slice(-FALLS_KEPT);
  const { point, isSimulated, isSilent } = signal;
  const situation = situationOf[signal.status];
  const newFall = alarms.includes(situation);
  const event = happening(situation, { point, isSimulated, isSilent, newFall });
  return { state: { ...state, falls }, happened: [event] };
};

/**
 * What one signal makes of a sensor's state, and what happened by it: nothing, one thing or several.
 * `received` is the time of receipt (ms): any message makes a silent sensor active again.
 */
export const step = (state: SensorState, signal: Signal, received: number): Step => {
  const awake: SensorState = { ...state, isActive: true, lastSeen: Math.max(state.lastSeen, received) };
  const woke = state.isActive ? [] : [happening('sensor_active')];
  const { state: next, happened } =
    signal.kind === 'presence'
      ? presence(awake, signal)
      : signal.kind === 'fall'
        ? fall(awake, signal)
        : { state: awake, happened: signal.kind === 'unknown' ? [unknownHappening] : [] };
  // The message's own event comes first: it carries the message's UUID.
  return { state: next, happened: [...happened, ...woke] };
};

/** Nobody heard of the sensor for too long: it is inactive, until it says something. */
export const fallSilent = (state: SensorState): Step =>
  state.isActive
    ? { state: { ...state, isActive: false }, happened: [happening('sensor_inactive')] }
    : { state, happened: [] };

/**
 * When an active sensor counts as silent, ms. The time before `upSince`, when the service itself was away, doesn't
 * count: an outage of ours must not mark sensors inactive in bulk.
 */
export const silentAt = (state: SensorState, upSince: number, afterSeconds: number): number =>
  Math.max(state.lastSeen, upSince) + afterSeconds * 1_000;
