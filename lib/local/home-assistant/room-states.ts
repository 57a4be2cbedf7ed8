import { fallKeyOf } from '#shared/domain/event/fall-key.ts';
import type { Region, Room } from '#shared/domain/sensor/room.ts';
import { isAlarm, isDown, mayLieThere, type SensorState, subjectOf } from '#shared/domain/sensor/sensor-state.ts';
import { type Gap, isAboutFalls } from '#shared/domain/watch/gap.ts';
import type { Rates } from './rates.ts';

/** A binary sensor state. Home Assistant shows null as unknown. */
type OnOff = 'ON' | 'OFF' | null;
const onOff = (isOn: boolean | null): OnOff => {
  if (isOn === null) return null;
  return isOn ? 'ON' : 'OFF';
};

/** Returns the keys of a sensor's unacknowledged falls that raised an alarm and have not ended. */
export const unansweredFalls = ({ falls, tracks = [] }: SensorState): string[] =>
  [
    ...falls
      .filter((fall) => fall.phases.includes('calling') && mayLieThere(fall) && !fall.isAcknowledged)
      .map(({ start, isSensitive = false }) => fallKeyOf({ fall: start, isSensitive })),
    ...tracks
      .filter((track) => isDown(track) && track.fallPostures?.some(isAlarm) && !track.isAcknowledged)
      .map((track) => fallKeyOf(subjectOf(track))),
  ].filter((key) => key !== null);

export const isBed = ({ kind }: Pick<Region, 'kind'>): boolean => kind === 'bed' || kind === 'monitored_bed';
export const bedsOf = (regions: readonly Region[]): Region[] => regions.filter(isBed);

/** Returns the regions shown individually. A single bed is shown as the room's bed. */
export const shownRegions = (regions: readonly Region[]): Region[] => {
  const hasOneBed = bedsOf(regions).length === 1;
  return regions.filter(
    (region) => region.kind !== 'interference' && region.presenceDetectionEnabled && !(hasOneBed && isBed(region)),
  );
};

/** The prefix that identifies region entities among a sensor's states. */
export const REGION_PREFIX = 'region_';
export const regionEntity = ({ id }: Pick<Region, 'id'>): string => `${REGION_PREFIX}${id}`;

/** Returns the occupied regions (positionIdx). Null until one has been reported. */
const occupiedRegions = ({ inside, tracks }: SensorState): readonly number[] | null =>
  inside ?? tracks?.flatMap((track) => track.inside ?? []) ?? null;

/** Whether the watch is free of gaps that keep a sensor's falls from reaching anyone. */
const isWatched = (sensorId: string, gaps: readonly Gap[]): boolean =>
  !gaps.filter(isAboutFalls).some((gap) => {
    if (!('sensorIds' in gap)) return true;
    return gap.sensorIds.includes(sensorId) || gap.total > gap.sensorIds.length;
  });

export type Shown = {
  sensor: { id: string; isActive: boolean };
  /** Null before the first message. */
  state: SensorState | null;
  room: Pick<Room, 'regions'> | null;
  rates: Rates;
  /** Null while the watch is unknown. */
  gaps: readonly Gap[] | null;
};
type RoomStates = Readonly<Record<string, string | number | null>>;

/** Returns the states shown for a sensor, by id. */
export const statesOf = ({ sensor, state, room, rates, gaps }: Shown): RoomStates => {
  const isActive = state?.isActive ?? sensor.isActive;
  const regions = room?.regions ?? [];
  const inside = state && isActive ? occupiedRegions(state) : null;
  const isInside = ({ positionIdx }: Region) => inside?.includes(positionIdx) ?? null;
  const beds = bedsOf(regions);
  const isFallen = state !== null && unansweredFalls(state).length > 0;
  return {
    // Falls go unnoticed while the sensor is offline.
    fall: onOff(isFallen || (isActive ? false : null)),
    occupancy: onOff(state && isActive ? state.presence : null),
    ...(beds.length > 0 && { bed: onOff(inside && beds.some(isInside)) }),
    ...Object.fromEntries(shownRegions(regions).map((region) => [regionEntity(region), onOff(isInside(region))])),
    connectivity: onOff(isActive),
    watched: onOff(gaps && isWatched(sensor.id, gaps)),
    respiration: isActive ? rates.respiration : null,
    heart_rate: isActive ? rates.heartRate : null,
  };
};
