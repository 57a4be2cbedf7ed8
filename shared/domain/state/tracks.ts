import { type EventDetails, type EventRegion, eventOf, lateEvent, type Situation } from '../event/event.ts';
import type { Move } from '../event/message.ts';
import { type Place, regionByIndex } from '../sensor/region-of-point.ts';
import type { Region } from '../sensor/room.ts';
import type { SensorState, Step, Track } from '../sensor/sensor-state.ts';
import { isFirstOfFall } from './falls.ts';
import { startOfFall, withoutLoop } from './loop.ts';
import { remembered } from './memory.ts';
import { regionEvent, roomStep } from './regions.ts';
import { isLate, type When } from './room-context.ts';

/** How many tracks, and how many areas of each, are remembered. */
const KEPT = 8;
/** How many areas a track may be in: as many as a room has regions. */
const INSIDE_KEPT = 16;

const trackOf = ({ tracks = [] }: SensorState, id: number): Track => tracks.find((track) => track.id === id) ?? { id };

/** Is it all that is kept of a track that left? */
const isTrace = ({ pose, areas }: Track): boolean => pose === undefined && areas === undefined;
/**
 * The tracks that are kept. One with an open fall is forgotten last, because its next pose would count as a new fall, and
 * those that left are forgotten first.
 */
const kept = (tracks: readonly Track[]): Track[] =>
  remembered(tracks, KEPT, (track) => (track.seen ? 2 : isTrace(track) ? 0 : 1));

const withTrack = (state: SensorState, track: Track): SensorState => ({
  ...state,
  tracks: kept([...(state.tracks ?? []).filter(({ id }) => id !== track.id), track]),
});

/** Gives the events that end the falls of these tracks: finished after an alarm, otherwise canceled. */
const endsOf = (tracks: readonly Track[]): EventDetails[] =>
  tracks.flatMap(({ seen, region = null }) =>
    seen ? [eventOf(/[ab]/.test(seen) ? 'fall_finished' : 'fall_canceled', { region })] : [],
  );

/** What is kept of a track that left: by which late reports about it are known. */
const traceOf = ({ id, at, seen = '', told: toldBefore }: Track): Track[] => {
  const told = /[ab]/.test(seen) ? at : toldBefore;
  return at === undefined ? [] : [{ id, at, ...(told !== undefined && { told }) }];
};

/** Forgets a track that left, because its number is used again and a fall of the next person is a new one. */
const withoutTrack = (state: SensorState, track: Track): SensorState => ({
  ...state,
  tracks: kept([...(state.tracks ?? []).filter(({ id }) => id !== track.id), ...traceOf(track)]),
});

/** A track as it is after a report: its newest time is that of the report, if that is believed. */
const seenAt = (track: Track, { time, isBelieved }: When): Track => (isBelieved ? { ...track, at: time } : track);

/** Steps the number of people in a room. Presence follows from it, and an empty room has no falls. */
export const peopleStep = (before: SensorState, count: number): Step => {
  const { state, happened } = roomStep(before, count > 0);
  if (count > 0) return { state: { ...state, people: count }, happened };
  const { tracks = [] } = state;
  return {
    state: { ...state, people: 0, tracks: tracks.flatMap(traceOf) },
    happened: [...happened, ...endsOf(tracks)],
  };
};

const roomMove = (before: SensorState, track: Track, entered: boolean, when: When): Step => {
  const count = Math.max(0, (before.people ?? 0) + (entered ? 1 : -1));
  const { state, happened } = peopleStep(withoutTrack(before, seenAt(track, when)), count);
  return { state, happened: [...happened, ...endsOf([track])] };
};

const areaMove = (
  state: SensorState,
  track: Track,
  { entered, area }: Move,
  { regions, when }: { regions: readonly Region[]; when: When },
): Step => {
  if (!area) return { state, happened: [] };
  const key = String(area.index);
  const move = entered ? ('in' as const) : ('out' as const);
  const left = (track.inside ?? []).filter((index) => index !== area.index);
  const inside = entered ? [...left, area.index].slice(-INSIDE_KEPT) : left;
  // Who enters an area again without having left it is there now, whatever was entered in between; it is no news.
  if (track.areas?.[key] === move) return { state: again(state, track, when, { inside }), happened: [] };
  const { [key]: _, ...others } = track.areas ?? {};
  const areas = Object.fromEntries([...Object.entries(others), [key, move] as const].slice(-KEPT));
  const happened = regionEvent(regions, area.index, move, { reported: area.kind, subject: { track: track.id } });
  return { state: withTrack(state, { ...seenAt(track, when), areas, inside }), happened };
};

/** Notes a report of which nobody is told: its time, and what it says of the track besides. */
const again = (state: SensorState, track: Track, when: When, reported: Pick<Track, 'inside'> = {}): SensorState => ({
  ...state,
  ...(state.tracks && {
    tracks: state.tracks.map((known) => (known === track ? seenAt({ ...known, ...reported }, when) : known)),
  }),
});

/**
 * Steps the state by a person who enters or leaves the room or an area of it. What is older than another report of that
 * track is late, and changes nothing.
 */
export const moveStep = (state: SensorState, move: Move, regions: readonly Region[], when: When): Step => {
  const track = trackOf(state, move.track);
  if (isLate(when, track.at)) return { state, happened: [lateEvent] };
  return move.area ? areaMove(state, track, move, { regions, when }) : roomMove(state, track, move.entered, when);
};

type FallPose = { mark: string; situation: Situation };
/** A report of a pose that is a fall: the pose and what it means, the region of the fall, and its time (ms). */
type FallReport = FallPose & { pose: number; region: EventRegion | null; time: number };
const fallPoses: Readonly<Record<number, FallPose>> = {
  2: { mark: 'd', situation: 'fall_suspected' },
  5: { mark: 'a', situation: 'fall_detected' },
  7: { mark: 'e', situation: 'fall_suspected_sensitive' },
  8: { mark: 'b', situation: 'fall_detected_sensitive' },
};
const SUSPECTED = 2;
const FALLEN = 5;
const SITTING_ON_GROUND = 8;
const SITTING_UP = 11;

/** The region in which a person is: the one entered last and not left, because poses have no point. */
const regionOf = ({ inside = [] }: Track, places: readonly Place[]): EventRegion | null => {
  const last = inside.at(-1);
  return last === undefined ? null : regionByIndex(places, last);
};

/** Steps an open fall of a track. Each state of the fall is reported once, until the person has another pose. */
const fallPose = (state: SensorState, track: Track, { pose, mark, situation, region, time }: FallReport): Step => {
  const seen = track.seen ?? '';
  if (seen.includes(mark)) return { state: withTrack(state, { ...track, pose }), happened: [] };
  const since = track.since ?? time;
  const subject = { track: track.id, fall: since };
  const event = eventOf(situation, { region, newFall: isFirstOfFall(situation), subject });
  const fallen = { ...track, pose, seen: seen + mark, since, ...(region && { region }) };
  const next = withTrack(state, fallen);
  if (mark === 'a' || mark === 'b') return { state: withoutLoop(next), happened: [event] };
  if (pose !== SUSPECTED || seen !== '') return { state: next, happened: [event] };
  const loop = startOfFall(next, time, event);
  return { state: loop.state, happened: [event, ...loop.happened] };
};

/** Ends the fall of a track whose pose is no fall. */
const otherPose = (state: SensorState, before: Track, pose: number, region: EventRegion | null): Step => {
  const { seen = '', since: _, region: __, ...track } = before;
  const sitsUp = pose === SITTING_UP ? [eventOf('sitting_up_in_bed', { region })] : [];
  const told = /[ab]/.test(seen) && track.at !== undefined ? { told: track.at } : {};
  return { state: withTrack(state, { ...track, pose, ...told }), happened: [...endsOf([before]), ...sitsUp] };
};

/** Alarms by a late report of a fall that is over, once: what is newer says that the person has another pose. */
const lateFall = (state: SensorState, track: Track, { mark, situation, region, time }: FallReport): Step => {
  const { seen, at = time, told: toldUpTo } = track;
  const isTold = seen ? seen.includes(mark) : toldUpTo !== undefined && time < toldUpTo;
  if (isTold) return { state, happened: [lateEvent] };
  const subject = { track: track.id, fall: track.since ?? time };
  const event = eventOf(situation, { region, newFall: isFirstOfFall(situation), subject });
  if (seen) return { state: withoutLoop(withTrack(state, { ...track, seen: seen + mark })), happened: [event] };
  return { state: withTrack(state, { ...track, told: at }), happened: [event, eventOf('fall_finished', { region })] };
};

const isAlarm = (pose: number): boolean => pose === FALLEN || pose === SITTING_ON_GROUND;

/**
 * Steps the pose of a track. The same pose again is a repeat. A report that is older than another one of that track is
 * late, and changes nothing, but a late fall still is an alarm.
 */
export const poseStep = (
  state: SensorState,
  { id, pose }: { id: number; pose: number },
  when: When,
  places: readonly Place[],
): Step => {
  const before = trackOf(state, id);
  const fall = fallPoses[pose];
  const isHere = regionOf(before, places);
  // A fall stays in the region where it began.
  const region = before.seen ? (before.region ?? null) : isHere;
  if (isLate(when, before.at)) {
    const isAlarmed = fall !== undefined && isAlarm(pose);
    return isAlarmed
      ? lateFall(state, before, { ...fall, pose, region, time: when.time })
      : { state, happened: [lateEvent] };
  }
  if (before.pose === pose) return { state: again(state, before, when), happened: [] };
  const track = seenAt(before, when);
  return fall
    ? fallPose(state, track, { ...fall, pose, region, time: when.time })
    : otherPose(state, track, pose, isHere);
};
