import { isDeepStrictEqual } from 'node:util';
import type { Happening, Point, Situation } from './event.ts';

/** A mark of a fall that it keeps: see marks. */
export type Mark = keyof typeof marks;
/** What was told of a fall already, one letter each: a state of a sensor is read and written with each message. */
export const marks = {
  d: 'detected',
  c: 'confirmed',
  a: 'calling',
  f: 'finished',
  x: 'canceled',
} as const;

/** One fall of a maker A sensor. */
export type Fall = {
  /** Its start and key: ms, the device's clock; ours when the device didn't say. */
  start: number;
  /** Marks, in the order in which they came. */
  seen: string;
  isSensitive?: boolean;
  /** While it goes on: when it was last moved (ms, our clock), and what is told again when time moves it on. */
  at?: number;
  point?: Point | null;
  isSimulated?: boolean;
  isSilent?: boolean;
};

/** Somebody whom a maker B sensor follows: the last pose, what was told of an open fall, the last move in each area. */
export type Track = { id: number; pose?: number; seen?: string; areas?: Record<string, 'in' | 'out'> };

/** What the cloud knows of a sensor's room. One item in the table, fenced by `version`. Missing: nothing is known yet. */
export type SensorState = {
  version: number;
  /** ms of the newest authenticated message. */
  lastSeen: number;
  isActive: boolean;
  /** It was heard of again since it became active: its last word may be a little younger than `lastSeen`. */
  isSteady?: true;
  presence: boolean | null;
  falls: Fall[];
  /** When each rule fired last for this sensor, ms; forgotten once no rate limit can ask for it. */
  fired: Record<string, number>;
  /** Maker A: the device said last that it is learning. */
  learning?: true;
  /** Starts of falls that nobody was called for, ms. */
  loop?: number[];
  /** Maker A: the regions with somebody in them, by positionIdx. */
  inside?: number[];
  /** Maker A: when presence and regions were as they are said to be, ms; what comes later but is older is no news. */
  presenceAt?: number;
  regionsAt?: number;
  /** Maker A: the last bed exit that was told, ms. */
  bedExit?: number;
  /** Maker B: how many people are in the room. */
  people?: number;
  tracks?: Track[];
  /** Maker B: the alarm that lasts, of respiration, heart and signal. */
  vitals?: Record<string, Situation>;
  /** Maker B: when a weak signal or a tilt was last reported, ms. */
  signs?: Record<string, number>;
  /** The previous message (its hash), when only its bytes tell it apart; ms of receipt. */
  last?: { hash: string; at: number };
};

export const newSensorState: SensorState = {
  version: 0,
  lastSeen: 0,
  isActive: false,
  presence: null,
  falls: [],
  fired: {},
};

/** A sensor that comes back may have started anew: whom it followed before is nobody that it follows now. */
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

/** What a step makes of a state, and what happened by it: nothing, one thing or several. */
export type Step = { state: SensorState; happened: Happening[] };

/** Seconds between two sweeps in the cloud. Each of them notes that the service is there. */
export const SWEEP_SECONDS = 60;

/**
 * How long (ms) the service may not have noted that it is there before this was an outage. At most half of a sensor's
 * silence, so that an outage which nobody noticed and the sensor's own interval fit into it together; never so short that
 * a sweep which is late, or failed once, would be one.
 */
export const longestGap = (sweepSeconds: number, afterSeconds: number): number =>
  1_000 * Math.max(2.5 * sweepSeconds, Math.min(2.5 * SWEEP_SECONDS, afterSeconds / 2));

/** A report that says nothing new is written only when the sensor was last seen so long ago, as a part of its silence. */
const UNWRITTEN = 0.25;

/**
 * When an active sensor counts as silent, ms: never early, and for what may have been said since `lastSeen` a quarter of
 * its silence late at most. The time before `upSince`, when the service itself was away, doesn't count: an outage of ours
 * must not mark sensors inactive in bulk.
 */
export const silentAt = (state: SensorState, upSince: number, afterSeconds: number): number =>
  Math.max(state.lastSeen + (state.isSteady ? UNWRITTEN * afterSeconds * 1_000 : 0), upSince) + afterSeconds * 1_000;

/** What each report moves without saying anything new. */
const saying = ({ lastSeen: _, presenceAt: __, regionsAt: ___, last: ____, ...rest }: SensorState): unknown =>
  JSON.parse(JSON.stringify(rest));

/** Is a state that made no event worth a write? When something of it changed, or the sensor was last seen too long ago. */
export const isWorthWriting = (before: SensorState, next: SensorState, afterSeconds: number): boolean =>
  before.version === 0 ||
  next.lastSeen - before.lastSeen >= UNWRITTEN * afterSeconds * 1_000 ||
  !isDeepStrictEqual(saying(next), saying(before));

/** The state of the newest fall of a maker A sensor (D1 "States"); null when there is none, or it was canceled. */
export const fallStateOf = ({ falls }: SensorState): (typeof marks)[Exclude<Mark, 'x'>] | null => {
  const [newest] = falls.filter(({ isSensitive }) => !isSensitive).toSorted((one, other) => other.start - one.start);
  const seen = newest?.seen ?? '';
  if (seen.includes('x')) return null;
  const furthest = (['f', 'a', 'c', 'd'] as const).find((mark) => seen.includes(mark));
  return furthest ? marks[furthest] : null;
};
