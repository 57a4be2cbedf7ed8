import { type Happening, happening, type Situation } from '../event.ts';
import type { Move } from '../message.ts';
import type { Region } from '../room.ts';
import type { SensorState, Step, Track } from '../sensor-state.ts';
import { isFirstOfFall } from './falls.ts';
import { startOfFall, withoutLoop } from './loop.ts';
import { remembered } from './memory.ts';
import { regionEvent, roomStep } from './regions.ts';

/** How many tracks, and how many areas of each, are remembered. */
const KEPT = 8;

const trackOf = ({ tracks = [] }: SensorState, id: number): Track => tracks.find((one) => one.id === id) ?? { id };

/** Stores a track. A track with an open fall is forgotten last, because its next pose would count as a new fall. */
const withTrack = (state: SensorState, track: Track): SensorState => {
  const tracks = [...(state.tracks ?? []).filter(({ id }) => id !== track.id), track];
  return { ...state, tracks: remembered(tracks, KEPT, ({ seen }) => (seen ? 1 : 0)) };
};

/** Gives the events that end the falls of these tracks: finished after an alarm, otherwise canceled. */
const endsOf = (tracks: readonly Track[]): Happening[] =>
  tracks.flatMap(({ seen }) => (seen ? [happening(/[ab]/.test(seen) ? 'fall_finished' : 'fall_canceled')] : []));

/** Forgets a track that left, because its number is used again and a fall of the next person is a new one. */
const withoutTrack = (state: SensorState, id: number): SensorState => {
  const tracks = (state.tracks ?? []).filter((one) => one.id !== id);
  return { ...state, tracks };
};

/** Steps the number of people in a room. Presence follows from it, and an empty room has no falls. */
export const peopleStep = (before: SensorState, count: number): Step => {
  const { state, happened } = roomStep(before, count > 0);
  if (count > 0) return { state: { ...state, people: count }, happened };
  return { state: { ...state, people: 0, tracks: [] }, happened: [...happened, ...endsOf(state.tracks ?? [])] };
};

const roomMove = (before: SensorState, { track, entered }: Move): Step => {
  const count = Math.max(0, (before.people ?? 0) + (entered ? 1 : -1));
  const { state, happened } = peopleStep(withoutTrack(before, track), count);
  return { state, happened: [...happened, ...endsOf([trackOf(before, track)])] };
};

const areaMove = (state: SensorState, { track: id, entered, area }: Move, regions: readonly Region[]): Step => {
  if (!area) return { state, happened: [] };
  const track = trackOf(state, id);
  const [key, move] = [String(area.index), entered ? ('in' as const) : ('out' as const)];
  if (track.areas?.[key] === move) return { state, happened: [] };
  const { [key]: _, ...others } = track.areas ?? {};
  const areas = Object.fromEntries([...Object.entries(others), [key, move] as const].slice(-KEPT));
  const happened = regionEvent(regions, area.index, move, { said: area.kind });
  return { state: withTrack(state, { ...track, areas }), happened };
};

/** Steps the state by a person who enters or leaves the room or an area of it. */
export const moveStep = (state: SensorState, move: Move, regions: readonly Region[]): Step =>
  move.area ? areaMove(state, move, regions) : roomMove(state, move);

type FallPose = { mark: string; situation: Situation };
const fallPoses: Readonly<Record<number, FallPose>> = {
  2: { mark: 'd', situation: 'fall_suspected' },
  5: { mark: 'a', situation: 'fall_detected' },
  7: { mark: 'e', situation: 'fall_suspected_sensitive' },
  8: { mark: 'b', situation: 'fall_detected_sensitive' },
};
const SUSPECTED = 2;
const SITTING_UP = 11;

/** Steps an open fall of a track. Each state of the fall is reported once, until the person has another pose. */
const fallPose = (
  state: SensorState,
  track: Track,
  pose: number,
  { mark, situation }: FallPose,
  time: number,
): Step => {
  const seen = track.seen ?? '';
  if (seen.includes(mark)) return { state: withTrack(state, { ...track, pose }), happened: [] };
  const told = happening(situation, { newFall: isFirstOfFall(situation) });
  const next = withTrack(state, { ...track, pose, seen: seen + mark, since: track.since ?? time });
  if (mark === 'a' || mark === 'b') return { state: withoutLoop(next), happened: [told] };
  if (pose !== SUSPECTED || seen !== '') return { state: next, happened: [told] };
  const loop = startOfFall(next, time, told);
  return { state: loop.state, happened: [told, ...loop.happened] };
};

/** Ends the fall of a track whose pose is no fall. */
const otherPose = (state: SensorState, before: Track, pose: number): Step => {
  const { seen: _, since: __, ...track } = before;
  const sitsUp = pose === SITTING_UP ? [happening('sitting_up_in_bed')] : [];
  return { state: withTrack(state, { ...track, pose }), happened: [...endsOf([before]), ...sitsUp] };
};

/** Steps the pose of a track. The same pose again is a repeat. `time` is when it was seen (ms). */
export const poseStep = (state: SensorState, id: number, pose: number, time: number): Step => {
  const track = trackOf(state, id);
  if (track.pose === pose) return { state, happened: [] };
  const fall = fallPoses[pose];
  return fall ? fallPose(state, track, pose, fall, time) : otherPose(state, track, pose);
};
