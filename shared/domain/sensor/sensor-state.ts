import { isDeepStrictEqual } from 'node:util';
import type { EventDetails, EventRegion, Point, Situation, Subject } from '../event/event.ts';
import type { FallState } from './sensor-status.ts';

/** A fall state on a maker A sensor. */
export type FallPhase = FallState | 'canceled';

/** One fall on a maker A sensor. */
export type Fall = {
  /**
   * When (ms) the fall started, which identifies it. This is the device time, or the time of receipt if the device did
   * not send a time.
   */
  start: number;
  /** The states that were reported or that time alone reached, in order of occurrence. */
  phases: readonly FallPhase[];
  /** The newest trusted time (ms, device clock) in a report about the fall, if it differs from the start. */
  time?: number;
  isSensitive?: boolean;
  /**
   * When the fall last changed state (ms, service clock). This field and the following ones are stored until the fall
   * ends, because they are needed when time advances the fall.
   */
  at?: number;
  /** When (ms, service clock) states were reported without a trusted start. */
  phaseDates?: Partial<Record<FallPhase, number>>;
  point?: Point | null;
  /**
   * The region of the first point; missing if the point is in no region. If the fall ended without an alarm, it is null
   * instead, because a late report may still raise the alarm.
   */
  region?: EventRegion | null;
  isSimulated?: boolean;
  isSilent?: boolean;
  /**
   * When (ms, service clock) time alone ended the fall. Someone may still be on the floor, so the fall stays open for
   * people until the device reports the end or UNCLEAR_MS has passed.
   */
  endedByTime?: number;
  /** Time alone ended the fall, however long ago, so its escalation continues. */
  isUnreported?: true;
  /** The fall has been acknowledged (shared/store/rules/falls.ts). */
  isAcknowledged?: true;
  /** When (ms) people closed the fall. Further reports about it change nothing. */
  closedAt?: number;
};

/** How long (ms) people still see a fall ended by time alone as open. */
export const UNCLEAR_MS = 2 * 3_600_000;

/** Whether the fall is finished or canceled. */
export const isEnded = ({ phases }: Fall): boolean => phases.includes('finished') || phases.includes('canceled');

/** Whether someone may still be on the floor: the fall has not ended, or only time has ended it. */
export const mayLieThere = (fall: Fall): boolean => !isEnded(fall) || fall.endedByTime !== undefined;

/** A fall posture reported by a maker B sensor. Only sensitive detection reports sitting on the ground. */
export type FallPosture = 'suspected' | 'fallen' | 'sitting_suspected' | 'sitting';
const alarms: readonly FallPosture[] = ['fallen', 'sitting'];
/** Whether a posture raises the fall alarm. */
export const isAlarm = (posture: FallPosture): boolean => alarms.includes(posture);

/** A person tracked by a maker B sensor. */
export type Track = {
  id: number;
  /** The last reported pose, as numbered by the device. */
  pose?: number;
  /** The postures reported for the open fall. Missing if no fall is open. */
  fallPostures?: readonly FallPosture[];
  /** When (ms) and in which region the open fall began. */
  since?: number;
  region?: EventRegion;
  /** The time (ms) of the last posture in the open fall, unless that posture began the fall. */
  poseAt?: number;
  /** When (ms) the open fall last raised another alarm, which cancels an earlier acknowledgement. */
  alarmedAgain?: number;
  /** The open fall has been acknowledged since it last raised an alarm. */
  isAcknowledged?: true;
  /** People closed the fall. The mark is kept as long as the device keeps repeating fall postures. */
  isClosed?: true;
  /** The last move in each area. */
  areas?: Record<string, 'in' | 'out'>;
  /** The areas the person is in, in the order they were entered. */
  inside?: number[];
  /** The newest time (ms, device clock) in a report about this track. */
  at?: number;
  /** Falls up to this time (ms) have raised an alarm. Reports about them may still arrive late. */
  alarmedUpTo?: number;
};

/** Whether a track has a fall that is not over. */
export const isDown = ({ fallPostures, isClosed }: Track): boolean => fallPostures !== undefined && !isClosed;

/** Returns the open fall on a track as an event subject. Each further alarm during the fall needs a new response. */
export const subjectOf = ({ id: track, since, alarmedAgain }: Track): Subject => {
  if (since === undefined) return { track };
  return alarmedAgain === undefined ? { track, fall: since } : { track, fall: alarmedAgain, began: since };
};

/**
 * The state of a sensor and its room. It is a single table item, written only if `version` is unchanged. Missing fields
 * are not yet known.
 */
export type SensorState = {
  version: number;
  /** When (ms) the newest authenticated message was received. */
  lastSeen: number;
  isActive: boolean;
  /**
   * The sensor has sent a message since becoming active. From then on, `lastSeen` may lag behind the newest message.
   */
  isSteady?: true;
  presence: boolean | null;
  falls: Fall[];
  /** When (ms) each rule last fired for this sensor. Times too old for any rate limit are removed. */
  fired: Record<string, number>;
  /** Maker A: the device last reported being in the learning phase. */
  learning?: true;
  /** When (ms) recent falls that caused no alarm started. */
  loop?: number[];
  /** Maker A: the regions with someone in them, by positionIdx. */
  inside?: number[];
  /**
   * The times (ms) of the newest report on presence or the number of people, and of the newest report on regions. Older
   * reports that arrive later are ignored.
   */
  presenceAt?: number;
  regionsAt?: number;
  /** Maker A: when (ms) the last bed exit was reported. */
  bedExit?: number;
  /** Maker B: how many people are in the room. */
  people?: number;
  tracks?: Track[];
  /** Maker B: the active alarm in each group: respiration, heart and signal. */
  vitals?: Record<string, Situation>;
  /** Maker B: when (ms) a weak signal and a tilt were last reported. */
  signs?: Record<string, number>;
  /** Maker B: short hashes of the newest messages about tracks that caused no event. */
  eventless?: string[];
  /** The hash of the previous message, if only its bytes identify it, and when (ms) it was received. */
  last?: { hash: string; at: number };
  /** When (ms) an event last reported a wrong clock. */
  clockWrongAt?: number;
  /**
   * How many messages were understood and how many were not, counted from the first that was not, in total and for
   * messages about falls (domain/state/understanding.ts).
   */
  understanding?: {
    since: number;
    understood: number;
    unknown: number;
    falls?: { understood: number; unknown: number };
  };
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
 * Returns the state for a sensor that becomes active again. Tracks, signs and vital alarms are removed: the device may
 * have restarted, and its track numbers may now refer to other people.
 */
export const reactivated = ({
  tracks: _,
  signs: __,
  vitals: ___,
  isSteady: ____,
  ...state
}: SensorState): SensorState => ({
  ...state,
  isActive: true,
});

/** The new state after a step, and any events from the step. */
export type Step = { state: SensorState; events: EventDetails[] };

/** How often (s) sweeps run in the cloud. Each sweep records that the service is up. */
export const SWEEP_SECONDS = 60;

/**
 * Returns how long (ms) the heartbeat record may be missing before this counts as an outage. It is two thirds of the
 * time after which a sensor becomes inactive, so that an unnoticed outage plus the sensor interval does not exceed that
 * time. It allows for late or failed sweeps, because each outage restarts that time for every sensor. With the default,
 * one sweep every three minutes is enough.
 */
export const maxHeartbeatGap = (sweepSeconds: number, afterSeconds: number): number =>
  1_000 * Math.max(2.5 * sweepSeconds, Math.min(5 * SWEEP_SECONDS, (afterSeconds * 2) / 3));

/**
 * A message that changes nothing but times is recorded only if `lastSeen` is older than this fraction of the time after
 * which a sensor becomes inactive.
 */
const UNWRITTEN = 0.25;

/**
 * Returns when (ms) an active sensor becomes inactive. It is never too early, but can be late by a quarter of
 * `afterSeconds`, because messages since `lastSeen` may not have been written. Downtime before `upSince` (ms) does not
 * count: a service outage must not make sensors inactive in bulk.
 */
export const silentAt = (state: SensorState, upSince: number, afterSeconds: number): number =>
  Math.max(state.lastSeen + (state.isSteady ? UNWRITTEN * afterSeconds * 1_000 : 0), upSince) + afterSeconds * 1_000;

/**
 * Returns a track without the time, which every report changes. Tracks with an open fall keep it, because the end of
 * the fall may be reported late.
 */
const steadyTrack = ({ at, ...track }: Track): Track =>
  track.fallPostures && at !== undefined ? { ...track, at } : track;

/** Returns the state without the fields that every message changes. */
const steadyState = ({
  lastSeen: _,
  presenceAt: __,
  regionsAt: ___,
  last: ____,
  tracks,
  ...rest
}: SensorState): unknown => JSON.parse(JSON.stringify({ ...rest, tracks: tracks?.map(steadyTrack) }));

/** Whether a state is the same as before, except for the times of the last reports. */
export const isUnchanged = (before: SensorState, next: SensorState): boolean =>
  isDeepStrictEqual(steadyState(next), steadyState(before));

/**
 * Whether a state without events is worth writing: something has changed, or the stored `lastSeen` is too old or in the
 * future.
 */
export const isWorthWriting = (before: SensorState, next: SensorState, afterSeconds: number): boolean =>
  before.version === 0 ||
  next.lastSeen < before.lastSeen ||
  next.lastSeen - before.lastSeen >= UNWRITTEN * afterSeconds * 1_000 ||
  !isUnchanged(before, next);

/** Whether the sensor has an open fall. */
export const hasOpenFallOrTrack = ({ falls, tracks = [] }: SensorState): boolean =>
  falls.some((fall) => !isEnded(fall)) || tracks.some(isDown);

/** Whether there is a fall after which someone may still be on the floor. */
export const hasFallForPeople = (state: SensorState): boolean =>
  hasOpenFallOrTrack(state) || state.falls.some(mayLieThere);

/**
 * Returns the state of the newest fall at a maker A sensor (D1 "States"). Null if there is none, or if it was canceled.
 */
export const fallStateOf = ({ falls }: SensorState): FallState | null => {
  const [newest] = falls.filter(({ isSensitive }) => !isSensitive).toSorted((fall, other) => other.start - fall.start);
  if (!newest || newest.phases.includes('canceled')) return null;
  const { phases } = newest;
  return (['finished', 'calling', 'confirmed', 'detected'] as const).find((phase) => phases.includes(phase)) ?? null;
};
