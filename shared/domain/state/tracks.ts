import { type EventDetails, type EventRegion, eventOf, lateEvent, type Situation } from '../event/event.ts';
import type { Move } from '../event/message.ts';
import { type RegionBounds, regionByIndex } from '../sensor/region-of-point.ts';
import type { Region } from '../sensor/room.ts';
import {
  type FallPosture,
  isAlarm,
  isDown,
  type SensorState,
  type Step,
  subjectOf,
  type Track,
} from '../sensor/sensor-state.ts';
import { isFirstOfFall } from './falls.ts';
import { recordFallStart, withoutLoop } from './loop.ts';
import { remembered } from './memory.ts';
import { regionEvent, roomStep } from './regions.ts';
import { isLate, type MessageTime } from './room-context.ts';

/** The number of tracks, and of areas per track, to remember. */
const MAX_REMEMBERED = 8;
/** The maximum number of areas a track can be in, which is the most regions a room can have. */
const MAX_INSIDE = 16;

const trackOf = ({ tracks = [] }: SensorState, id: number): Track => tracks.find((track) => track.id === id) ?? { id };

/**
 * How long (ms) after the last posture on a track a repeated fall posture counts as a duplicate. After that, it is
 * reported again: the person may have fallen again, or the track may be another person.
 */
const SAME_POSE_WITHIN = 300_000;

/** Whether a track has left, leaving only a trace. */
const isTrace = ({ pose, areas }: Track): boolean => pose === undefined && areas === undefined;
/**
 * Returns the tracks to remember. Tracks with an open fall are forgotten last, because their next pose would count as a
 * new fall. Tracks that have left are forgotten first.
 */
const rememberedTracks = (tracks: readonly Track[]): Track[] =>
  remembered(tracks, MAX_REMEMBERED, (track) => {
    if (track.fallPostures) return 2;
    return isTrace(track) ? 0 : 1;
  });

const withTrack = (state: SensorState, track: Track): SensorState => ({
  ...state,
  tracks: rememberedTracks([...(state.tracks ?? []).filter(({ id }) => id !== track.id), track]),
});

/** Whether the open fall on a track has raised the alarm. */
const isAlarmed = ({ fallPostures = [] }: Track): boolean => fallPostures.some(isAlarm);

/** Returns the events that end the falls on these tracks: finished after an alarm, otherwise canceled. */
export const endsOf = (tracks: readonly Track[]): EventDetails[] =>
  tracks.filter(isDown).map((track) =>
    eventOf(isAlarmed(track) ? 'fall_finished' : 'fall_canceled', {
      region: track.region ?? null,
      subject: subjectOf(track),
    }),
  );

/** Returns the trace to keep for a track that left, to recognize late reports about it. */
const traceOf = (track: Track): Track[] => {
  const { id, at } = track;
  if (at === undefined) return [];
  const alarmedUpTo = isAlarmed(track) ? at : track.alarmedUpTo;
  return [{ id, at, ...(alarmedUpTo !== undefined && { alarmedUpTo }) }];
};

/** Forgets a track after it left. Its number is reused, and if the next person falls, that is a new fall. */
const withoutTrack = (state: SensorState, track: Track): SensorState => ({
  ...state,
  tracks: rememberedTracks([...(state.tracks ?? []).filter(({ id }) => id !== track.id), ...traceOf(track)]),
});

/** Returns a track after a report, with the time of the report if it is trusted. */
const seenAt = (track: Track, { time, isTrusted }: MessageTime): Track => (isTrusted ? { ...track, at: time } : track);

/** Updates the number of people in a room. It determines presence, and an empty room has no falls. */
export const peopleStep = (before: SensorState, count: number): Step => {
  const { state, events } = roomStep(before, count > 0);
  if (count > 0) return { state: { ...state, people: count }, events };
  const { tracks = [] } = state;
  return {
    state: { ...state, people: 0, tracks: tracks.flatMap(traceOf) },
    events: [...events, ...endsOf(tracks)],
  };
};

const roomMove = (before: SensorState, track: Track, entered: boolean, when: MessageTime): Step => {
  const count = Math.max(0, (before.people ?? 0) + (entered ? 1 : -1));
  const { state, events } = peopleStep(withoutTrack(before, seenAt(track, when)), count);
  return { state, events: [...events, ...endsOf([track])] };
};

const areaMove = (
  state: SensorState,
  track: Track,
  { entered, area }: { entered: boolean; area: NonNullable<Move['area']> },
  { regions, when }: { regions: readonly Region[]; when: MessageTime },
): Step => {
  const key = String(area.index);
  const move = entered ? ('in' as const) : ('out' as const);
  const left = (track.inside ?? []).filter((index) => index !== area.index);
  const inside = entered ? [...left, area.index].slice(-MAX_INSIDE) : left;
  // A person who enters an area twice without leaving it is in the area, but does not cause a second event.
  if (track.areas?.[key] === move) return { state: withDuplicate(state, track, when, { inside }), events: [] };
  const { [key]: _, ...others } = track.areas ?? {};
  const areas = Object.fromEntries([...Object.entries(others), [key, move] as const].slice(-MAX_REMEMBERED));
  const events = regionEvent(regions, area.index, move, { reported: area.kind, subject: { track: track.id } });
  return { state: withTrack(state, { ...seenAt(track, when), areas, inside }), events };
};

/** Returns the state after a duplicate report, which only updates times and the areas the person is in. */
const withDuplicate = (
  state: SensorState,
  track: Track,
  when: MessageTime,
  reported: Pick<Track, 'inside' | 'poseAt'> = {},
): SensorState => ({
  ...state,
  ...(state.tracks && {
    tracks: state.tracks.map((known) => (known === track ? seenAt({ ...known, ...reported }, when) : known)),
  }),
});

/**
 * Updates the state when a person enters or leaves the room or an area in it. A report older than another one about the
 * same track is late and changes nothing.
 */
export const moveStep = (state: SensorState, move: Move, regions: readonly Region[], when: MessageTime): Step => {
  const { entered, area } = move;
  const track = trackOf(state, move.track);
  if (isLate(when, track.at)) return { state, events: [lateEvent] };
  return area ? areaMove(state, track, { entered, area }, { regions, when }) : roomMove(state, track, entered, when);
};

type FallPose = { posture: FallPosture; situation: Situation };
/**
 * A report with a fall pose, the fall region and the report time (ms). `isSoon`: the report came soon after the last
 * posture on the track.
 */
type FallReport = FallPose & { pose: number; region: EventRegion | null; time: number; isSoon: boolean };
const fallPoses: Readonly<Record<number, FallPose>> = {
  2: { posture: 'suspected', situation: 'fall_suspected' },
  5: { posture: 'fallen', situation: 'fall_detected' },
  7: { posture: 'sitting_suspected', situation: 'fall_suspected_sensitive' },
  8: { posture: 'sitting', situation: 'fall_detected_sensitive' },
};
const SITTING_UP_IN_BED = 11;

/** Returns the region a person is in: the last one entered and not yet left, because reported poses have no point. */
const regionOf = ({ inside = [] }: Track, places: readonly RegionBounds[]): EventRegion | null => {
  const last = inside.at(-1);
  return last === undefined ? null : regionByIndex(places, last);
};

const fallEvent = (track: Track, { situation, region, time }: FallReport): EventDetails => {
  const subject = subjectOf({ since: time, ...track });
  return eventOf(situation, { region, newFall: isFirstOfFall(situation), subject });
};

const withoutFall = (track: Track): Track => {
  const { fallPostures: _, since: __, region: ___, poseAt: ____, ...rest } = track;
  const { alarmedAgain: _____, isAcknowledged: ______, isClosed: _______, ...others } = rest;
  return others;
};

/**
 * Advances the fall on a track. A repeated fall posture is not reported again, unless the last posture is older than
 * `SAME_POSE_WITHIN`. If people have closed the fall, postures change nothing until that much time has passed without a
 * posture. The next posture is then a new fall.
 */
const fallPoseStep = (state: SensorState, reported: Track, report: FallReport): Step => {
  const { pose, posture, region, time, isSoon } = report;
  const before = reported.isClosed && !isSoon ? withoutFall(reported) : reported;
  const { fallPostures = [], since = time } = before;
  const track = { ...before, pose, ...(time !== since && { poseAt: time }) };
  const isKnown = before.isClosed || fallPostures.includes(posture);
  if (isKnown && isSoon) return { state: withTrack(state, track), events: [] };
  const postures = isKnown ? fallPostures : [...fallPostures, posture];
  const { isAcknowledged: _, ...unanswered } = track;
  const alarmed = isKnown ? { ...unanswered, alarmedAgain: time } : track;
  const next = withTrack(state, { ...alarmed, fallPostures: postures, since, ...(region && { region }) });
  const event = fallEvent(alarmed, report);
  if (isAlarm(posture)) return { state: withoutLoop(next), events: [event] };
  if (posture !== 'suspected' || fallPostures.length > 0) return { state: next, events: [event] };
  const loop = recordFallStart(next, time, event);
  return { state: loop.state, events: [event, ...loop.events] };
};

/** Applies a pose that is not a fall pose to a track, which ends an open fall. */
const otherPoseStep = (state: SensorState, before: Track, pose: number, region: EventRegion | null): Step => {
  const track = withoutFall(before);
  const sitsUp = pose === SITTING_UP_IN_BED ? [eventOf('sitting_up_in_bed', { region })] : [];
  const alarmed = isAlarmed(before) && track.at !== undefined ? { alarmedUpTo: track.at } : {};
  return { state: withTrack(state, { ...track, pose, ...alarmed }), events: [...endsOf([before]), ...sitsUp] };
};

/**
 * Raises the alarm for a late report once. If no fall is open anymore, a newer report has shown that the person is up,
 * so the fall ends at the same time.
 */
const lateAlarmStep = (state: SensorState, track: Track, report: FallReport): Step => {
  const { posture, region, time } = report;
  const { fallPostures, at = time, alarmedUpTo = Number.NEGATIVE_INFINITY } = track;
  const isDuplicate = fallPostures ? track.isClosed || fallPostures.includes(posture) : time < alarmedUpTo;
  if (isDuplicate) return { state, events: [lateEvent] };
  const event = fallEvent(track, report);
  if (!fallPostures)
    return {
      state: withTrack(state, { ...track, alarmedUpTo: at }),
      events: [event, eventOf('fall_finished', { region, ...(event.subject && { subject: event.subject }) })],
    };
  const alarmed = { ...track, fallPostures: [...fallPostures, posture] };
  return { state: withoutLoop(withTrack(state, alarmed)), events: [event] };
};

/**
 * Advances a track's pose. A repeated pose is a duplicate, but a repeated fall pose counts as one only within
 * `SAME_POSE_WITHIN`. A report older than another one about the same track is late. Late reports change nothing, except
 * that they can still raise the fall alarm.
 */
export const poseStep = (
  state: SensorState,
  { id, pose }: { id: number; pose: number },
  when: MessageTime,
  places: readonly RegionBounds[],
): Step => {
  const before = trackOf(state, id);
  const here = regionOf(before, places);
  const fallPose = fallPoses[pose];
  // A fall stays in the region where it began.
  const region = isDown(before) ? (before.region ?? null) : here;
  const isSoon = when.time - (before.poseAt ?? before.since ?? when.time) <= SAME_POSE_WITHIN;
  const report = fallPose && { ...fallPose, pose, region, time: when.time, isSoon };
  if (isLate(when, before.at))
    return report && isAlarm(report.posture) ? lateAlarmStep(state, before, report) : { state, events: [lateEvent] };
  if (before.pose === pose && (isSoon || !report)) {
    const reported = before.fallPostures && when.time !== before.since ? { poseAt: when.time } : {};
    return { state: withDuplicate(state, before, when, reported), events: [] };
  }
  const track = seenAt(before, when);
  return report ? fallPoseStep(state, track, report) : otherPoseStep(state, track, pose, here);
};
