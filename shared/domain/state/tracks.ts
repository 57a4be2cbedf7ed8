import { type Happening, happening, type Situation } from '../event.ts';
import type { Move } from '../message.ts';
import type { Region } from '../room.ts';
import type { SensorState, Step, Track } from '../sensor-state.ts';
import { isFirstOfFall } from './falls.ts';
import { startOfFall, withoutLoop } from './loop.ts';
import { regionEvent, roomStep } from './regions.ts';

/** Tracks and areas that are remembered. */
const KEPT = 8;

const trackOf = ({ tracks = [] }: SensorState, id: number): Track => tracks.find((one) => one.id === id) ?? { id };

const withTrack = (state: SensorState, track: Track): SensorState => ({
  ...state,
  tracks: [...(state.tracks ?? []).filter(({ id }) => id !== track.id), track].slice(-KEPT),
});

/** Numbers of tracks are used again: who left is forgotten, so that a fall of whoever comes next is a new one. */
const withoutTrack = (state: SensorState, id: number): SensorState => {
  const tracks = (state.tracks ?? []).filter((one) => one.id !== id);
  return { ...state, tracks };
};

/** The number of people in a room: whether somebody is there follows from it. */
export const peopleStep = (state: SensorState, count: number): Step => {
  const step = roomStep(state, count > 0);
  return { ...step, state: { ...step.state, people: count, ...(count === 0 && { tracks: [] }) } };
};

const roomMove = (state: SensorState, { track, entered }: Move): Step =>
  peopleStep(withoutTrack(state, track), Math.max(0, (state.people ?? 0) + (entered ? 1 : -1)));

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
const otherPose = (state: SensorState, { seen = '', ...track }: Track, pose: number): Step => {
  const happened: Happening[] = [];
  if (seen !== '') happened.push(happening(/[ab]/.test(seen) ? 'fall_finished' : 'fall_canceled'));
  if (pose === SITTING_UP) happened.push(happening('sitting_up_in_bed'));
  return { state: withTrack(state, { ...track, pose }), happened };
};

/** The pose of a track; the same one again is a repeat. `time`: when it was seen, ms. */
export const poseStep = (state: SensorState, id: number, pose: number, time: number): Step => {
  const track = trackOf(state, id);
  if (track.pose === pose) return { state, happened: [] };
  const fall = fallPoses[pose];
  return fall ? fallPose(state, track, pose, fall, time) : otherPose(state, track, pose);
};
