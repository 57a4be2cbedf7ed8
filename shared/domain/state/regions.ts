import { type EventDetails, eventOf, type Point, type Situation, type Subject } from '../event/event.ts';
import type { PresenceSignal } from '../event/message.ts';
import { regionByIndex } from '../sensor/region-of-point.ts';
import type { Region } from '../sensor/room.ts';
import type { SensorState, Step, Track } from '../sensor/sensor-state.ts';
import { isLate, type MessageTime, type RoomContext } from './room-context.ts';

type Kind = 'bed' | 'door' | 'default';
const situations: Record<Kind, Record<'in' | 'out', Situation>> = {
  bed: { in: 'bed_entered', out: 'bed_left' },
  door: { in: 'door_entered', out: 'door_left' },
  default: { in: 'region_entered', out: 'region_left' },
};

const kindOf = ({ kind }: Region): Kind => {
  if (kind === 'bed' || kind === 'monitored_bed') return 'bed';
  return kind === 'door' ? 'door' : 'default';
};

/**
 * Returns the event for entering or leaving a region. Empty if presence detection is off for the region. If only the
 * device knows the region, the event contains nothing but its index. `reported` is the kind reported by the device.
 */
export const regionEvent = (
  regions: readonly Region[],
  index: number,
  move: 'in' | 'out',
  { reported = null, point = null, subject = {} }: { reported?: Kind | null; point?: Point | null; subject?: Subject },
): EventDetails[] => {
  const region = regions.find(({ positionIdx }) => positionIdx === index);
  if (region && !region.presenceDetectionEnabled) return [];
  const kind = reported ?? (region ? kindOf(region) : 'default');
  return [eventOf(situations[kind][move], { region: regionByIndex(regions, index), point, subject })];
};

export type NumberedRegion = Pick<Region, 'id' | 'positionIdx'>;
/**
 * Returns who is in which region, with the regions renumbered after a room change. Removed regions are forgotten.
 * Regions that only the device knows keep their numbers.
 */
export const renumbered = <T extends Pick<Track, 'inside' | 'areas'>>(
  { inside, tracks }: { inside?: number[]; tracks?: T[] },
  before: readonly NumberedRegion[],
  after: readonly NumberedRegion[],
): { inside?: number[]; tracks?: T[] } => {
  const numbersOf = (index: number): number[] => {
    const region = before.find(({ positionIdx }) => positionIdx === index);
    return region ? after.flatMap(({ id, positionIdx }) => (id === region.id ? positionIdx : [])) : [index];
  };
  const areasOf = (areas: NonNullable<Track['areas']>) =>
    Object.fromEntries(
      Object.entries(areas).flatMap(([index, move]) => numbersOf(Number(index)).map((number) => [number, move])),
    );
  return {
    ...(inside && { inside: inside.flatMap(numbersOf) }),
    ...(tracks && {
      tracks: tracks.map((track) => ({
        ...track,
        ...(track.inside && { inside: track.inside.flatMap(numbersOf) }),
        ...(track.areas && { areas: areasOf(track.areas) }),
      })),
    }),
  };
};

/** Returns the regions (positionIdx) changed by a report. */
export const changedRegions = ({ inside = [] }: SensorState, { regions }: PresenceSignal): number[] =>
  Object.entries(regions).flatMap(([index, isInside]) =>
    inside.includes(Number(index)) === isInside ? [] : [Number(index)],
  );

/** Drops a bed exit within `suspendSeconds` before or after the last reported one. */
const withoutFurtherExits = ({ state, events }: Step, time: number, suspendSeconds: number): Step => {
  if (!events.some(({ situation }) => situation === 'bed_left')) return { state, events };
  const { bedExit } = state;
  if (bedExit === undefined || Math.abs(time - bedExit) >= suspendSeconds * 1_000)
    return { state: { ...state, bedExit: Math.max(time, bedExit ?? time) }, events };
  return { state, events: events.filter(({ situation }) => situation !== 'bed_left') };
};

/** Drops the parts of a report for which a newer report was received. */
const withoutLateParts = (
  { presenceAt, regionsAt }: SensorState,
  signal: PresenceSignal,
  when: MessageTime,
): PresenceSignal => ({
  ...signal,
  present: isLate(when, presenceAt) ? null : signal.present,
  regions: isLate(when, regionsAt) ? {} : signal.regions,
});

/**
 * Applies a presence and region report to the state of a maker A sensor. If the first report shows that someone is in
 * the room, this counts as a change.
 */
export const presenceStep = (
  before: SensorState,
  report: PresenceSignal,
  when: MessageTime,
  { regions, bedExitSuspend }: RoomContext,
): Step => {
  const { time } = when;
  const signal = withoutLateParts(before, report, when);
  const { present, point } = signal;
  const state = {
    ...before,
    ...(present !== null && { presenceAt: time }),
    ...(Object.keys(signal.regions).length > 0 && { regionsAt: time }),
  };
  const room = roomStep(state, present, point);
  const changed = changedRegions(state, signal);
  if (changed.length === 0) return room;
  const inside = [...(state.inside ?? []).filter((index) => !changed.includes(index)), ...changed.filter(isIn(signal))];
  const moved = changed.flatMap((index) => regionEvent(regions, index, isIn(signal)(index) ? 'in' : 'out', { point }));
  const step = { state: { ...room.state, inside }, events: [...room.events, ...moved] };
  return withoutFurtherExits(step, time, bedExitSuspend);
};
const isIn =
  ({ regions }: PresenceSignal) =>
  (index: number) =>
    regions[index] === true;

/** Updates the presence in a room. `present` is null if not reported. */
export const roomStep = (state: SensorState, present: boolean | null, point: Point | null = null): Step => {
  const next = { ...state, presence: present ?? state.presence };
  if (present === null || present === (state.presence ?? false)) return { state: next, events: [] };
  return { state: next, events: [eventOf(present ? 'occupied_room' : 'empty_room', { point })] };
};

/** Applies a reported bed exit to the state of a maker A sensor. A maker A room has at most one bed. */
export const bedExitStep = (
  state: SensorState,
  point: Point | null,
  time: number,
  { regions, bedExitSuspend }: RoomContext,
): Step => {
  const bed = regions.find((region) => kindOf(region) === 'bed');
  const region = bed ? regionByIndex(regions, bed.positionIdx) : null;
  return withoutFurtherExits({ state, events: [eventOf('bed_left', { region, point })] }, time, bedExitSuspend);
};
