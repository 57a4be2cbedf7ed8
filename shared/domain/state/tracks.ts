import { type Happening, happening, type Situation } from '../event.ts';
import type { Move } from '../message.ts';
import type { Region } from '../room.ts';
import type { SensorState, Step, Track } from '../sensor-state.ts';
import { isFirstOfFall } from './falls.ts';
import { startOfFall, withoutLoop } from './loop.ts';
import { remembered } from './memory.ts';
import { regionEvent, roomStep } from './regions.ts';

/** Tracks and areas that are remembered. */
const KEPT = 8;

const trackOf = ({ tracks = [] }: SensorState, id: number): Track => tracks.find((one) => one.id === id) ?? { id };

/** A track with an open fall is forgotten last: its next pose would be a new fall. */
const withTrack = (state: SensorState, track: Track): SensorState => {
  const tracks = [...(state.tracks ?? []).filter(({ id }) => id !== track.id), track];
  return { ...state, tracks: remembered(tracks, KEPT, ({ seen }) => (seen ? 1 : 0)) };
};

/** The falls of those who are up again, who left, or who never were down. */
const endsOf = (tracks: readonly Track[]): Happening[] =>
  tracks.flatMap(({ seen }) => (seen ? [happening(/[ab]/.test(seen) ? 'fall_finished' : 'fall_canceled')] : []));

/** Numbers of tracks are used again: who left is forgotten, so that a fall of whoever comes next is a new one. */
const withoutTrack = (state: SensorState, id: number): SensorState => {
  const tracks = (state.tracks ?? []).filter((one) => one.id !== id);
  return { ...state, tracks };
};

/** The number of people in a room: whether somebody is there follows from it, and nobody lies in an empty one. */
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

/** Somebody enters or leaves the room or an area of it. */
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

/** Somebody is down: each state of the fall is told once, until the pose is another one. */
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
  const next = withTrack(state, { ...track, pose, seen: seen + mark });
  if (mark === 'a' || mark === 'b') return { state: withoutLoop(next), happened: [told] };
  if (pose !== SUSPECTED || seen !== '') return { state: next, happened: [told] };
  const loop = startOfFall(next, time, told);
  return { state: loop.state, happened: [told, ...loop.happened] };
};

/** Somebody is up again, or never was down. */
const otherPose = (state: SensorState, before: Track, pose: number): Step => {
  const { seen: _, ...track } = before;
  const sitsUp = pose === SITTING_UP ? [happening('sitting_up_in_bed')] : [];
  return { state: withTrack(state, { ...track, pose }), happened: [...endsOf([before]), ...sitsUp] };
};

/** The pose of a track; the same one again is a repeat. `time`: when it was seen, ms. */
export const poseStep = (state: SensorState, id: number, pose: number, time: number): Step => {
  const track = trackOf(state, id);
  if (track.pose === pose) return { state, happened: [] };
  const fall = fallPoses[pose];
  return fall ? fallPose(state, track, pose, fall, time) : otherPose(state, track, pose);
};
