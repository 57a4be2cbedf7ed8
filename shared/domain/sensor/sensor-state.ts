import { isDeepStrictEqual } from 'node:util';
import type { EventDetails, EventRegion, Point, Situation } from '../event/event.ts';

/** One letter of `marks`. */
export type Mark = keyof typeof marks;
/**
 * The states of a fall that were already reported, one letter each. They are short because the state of a sensor is
 * read and written with each message.
 */
const marks = {
  d: 'detected',
  c: 'confirmed',
  a: 'calling',
  f: 'finished',
  x: 'canceled',
} as const;

/** One fall of a maker A sensor. */
export type Fall = {
  /**
   * The start of the fall in ms, which identifies it: by the device's clock, or the time of receipt if the device did
   * not send one.
   */
  start: number;
  /** The marks of the fall in the order in which they came. */
  seen: string;
  /** The newest time (ms, the device's clock) of a report about it, if that is believed and another one than its start. */
  time?: number;
  isSensitive?: boolean;
  /**
   * `at` is when the fall last changed its state (ms, the service's clock). It and the fields after it are stored until
   * the fall ends, because they are needed when time moves the fall on.
   */
  at?: number;
  /** When (ms, the service's clock) each mark came whose report said no start that is believed. */
  markedAt?: Partial<Record<Mark, number>>;
  point?: Point | null;
  /**
   * The region of the first point. It is missing if that is in none; of a fall that ended without an alarm, which may
   * still raise one late, it is null then.
   */
  region?: EventRegion | null;
  isSimulated?: boolean;
  isSilent?: boolean;
};

/** Is the fall over or canceled? */
export const isEnded = ({ seen }: Fall): boolean => seen.includes('f') || seen.includes('x');

/**
 * A person whom a maker B sensor tracks: the last pose, the reported states of an open fall, its start (ms) and its
 * region, the last move in each area, and the areas that it is in, in the order in which it entered them. `at` is the
 * newest time (ms, the device's clock) at which it was seen. Its falls were alarmed up to `told`, which is stored under
 * this name: reports from before may come late.
 */
export type Track = {
  id: number;
  pose?: number;
  seen?: string;
  since?: number;
  region?: EventRegion;
  areas?: Record<string, 'in' | 'out'>;
  inside?: number[];
  at?: number;
  told?: number;
};

/**
 * The state of a sensor and its room. It is one item of the table, written on the condition that `version` is
 * unchanged. Missing fields are not known yet.
 */
export type SensorState = {
  version: number;
  /** When (ms) the newest authenticated message was received. */
  lastSeen: number;
  isActive: boolean;
  /**
   * The sensor was heard again after it became active. Then a newer message than `lastSeen` may not have been written.
   */
  isSteady?: true;
  presence: boolean | null;
  falls: Fall[];
  /** When (ms) each rule last fired for this sensor. Times that are too old for any rate limit are removed. */
  fired: Record<string, number>;
  /** Maker A: the device last reported that it is in its learning phase. */
  learning?: true;
  /** The starts (ms) of recent falls that caused no alarm. */
  loop?: number[];
  /** Maker A: the regions with somebody in them, by positionIdx. */
  inside?: number[];
  /**
   * The times (ms) of the newest reports of presence or of the number of people, and of regions. Older reports that come
   * later are ignored.
   */
  presenceAt?: number;
  regionsAt?: number;
  /** Maker A: when (ms) the last bed exit was reported. */
  bedExit?: number;
  /** Maker B: how many people are in the room. */
  people?: number;
  tracks?: Track[];
  /** Maker B: the active alarm of each group: respiration, heart and signal. */
  vitals?: Record<string, Situation>;
  /** Maker B: when (ms) a weak signal and a tilt were last reported. */
  signs?: Record<string, number>;
  /** Maker B: short hashes of the newest messages about tracks that made no event. */
  eventless?: string[];
  /** The hash of the previous message if only its bytes identify it, and when it was received (ms). */
  last?: { hash: string; at: number };
  /** When (ms) the event of a wrong clock was made last. */
  clockWrongAt?: number;
};

export const newSensorState: SensorState = {
  version: 0,
  lastSeen: 0,
  isActive: false,
  presence: null,
  falls: [],
  fired: {},
};

/**
 * Makes a sensor active again. Its tracks, signs and vital alarms are removed: the device may have restarted, and its
 * track numbers may mean other people now.
 */
export const awakened = ({
  tracks: _,
  signs: __,
  vitals: ___,
  isSteady: ____,
  ...state
}: SensorState): SensorState => ({
  ...state,
  isActive: true,
});

/** The new state after a step, and the events of the step: none, one or several. */
export type Step = { state: SensorState; happened: EventDetails[] };

/** The seconds between two sweeps in the cloud. Each sweep records that the service is up. */
export const SWEEP_SECONDS = 60;

/**
 * Gives the longest time (ms) without a record that the service is up before it counts as an outage. It is two thirds of
 * the time after which a sensor is inactive, so that an unnoticed outage and the sensor's own interval fit into that time
 * together. It is long enough that late and failed sweeps are no outage, each of which would begin that time anew: with
 * the default, one sweep in three minutes is enough.
 */
export const longestGap = (sweepSeconds: number, afterSeconds: number): number =>
  1_000 * Math.max(2.5 * sweepSeconds, Math.min(5 * SWEEP_SECONDS, (afterSeconds * 2) / 3));

/**
 * A message without news is written only if `lastSeen` is older than this part of the time after which a sensor is
 * inactive.
 */
const UNWRITTEN = 0.25;

/**
 * Gives the time (ms) at which an active sensor becomes inactive. It is never too early. Because messages since
 * `lastSeen` may not have been written, it may be late by a quarter of `afterSeconds`. The time before `upSince`, when
 * the service was down, does not count: an outage of the service must not make sensors inactive in bulk.
 */
export const silentAt = (state: SensorState, upSince: number, afterSeconds: number): number =>
  Math.max(state.lastSeen + (state.isSteady ? UNWRITTEN * afterSeconds * 1_000 : 0), upSince) + afterSeconds * 1_000;

/** A track without the time that each report changes. That of an open fall is needed: what ends it may come late. */
const saidOf = ({ at, ...track }: Track): Track => (track.seen && at !== undefined ? { ...track, at } : track);

/** Gives the state without the fields that each message changes. */
const saying = ({ lastSeen: _, presenceAt: __, regionsAt: ___, last: ____, tracks, ...rest }: SensorState): unknown =>
  JSON.parse(JSON.stringify({ ...rest, tracks: tracks?.map(saidOf) }));

/** Does a state say the same as before, but for the times at which it was last said? */
export const isUnchanged = (before: SensorState, next: SensorState): boolean =>
  isDeepStrictEqual(saying(next), saying(before));

/** Is a state without events worth a write? It is if something changed, or if `lastSeen` is too old. */
export const isWorthWriting = (before: SensorState, next: SensorState, afterSeconds: number): boolean =>
  before.version === 0 ||
  next.lastSeen - before.lastSeen >= UNWRITTEN * afterSeconds * 1_000 ||
  !isUnchanged(before, next);

/** Does the sensor have a fall that is not over? */
export const seesFall = ({ falls, tracks = [] }: SensorState): boolean =>
  falls.some((fall) => !isEnded(fall)) || tracks.some(({ seen }) => seen);

/**
 * Gives the state of the newest fall of a maker A sensor (D1 "States"). It is null if there is none, or if it was
 * canceled.
 */
export const fallStateOf = ({ falls }: SensorState): (typeof marks)[Exclude<Mark, 'x'>] | null => {
  const [newest] = falls.filter(({ isSensitive }) => !isSensitive).toSorted((fall, other) => other.start - fall.start);
  const seen = newest?.seen ?? '';
  if (seen.includes('x')) return null;
  const furthest = (['f', 'a', 'c', 'd'] as const).find((mark) => seen.includes(mark));
  return furthest ? marks[furthest] : null;
};
