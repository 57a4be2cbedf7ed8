import type { EventDetails, Situation, Subject } from './event/event.ts';
import { isDown, mayLieThere, type SensorState, type Track } from './sensor/sensor-state.ts';

type PastEvent = { happening: Pick<EventDetails, 'situation' | 'region' | 'subject'>; receiveDate: number };

const falls: readonly Situation[] = [
  'fall_suspected',
  'fall_confirmed',
  'fall_detected',
  'fall_suspected_sensitive',
  'fall_detected_sensitive',
];

const entries: readonly Situation[] = ['region_entered', 'bed_entered', 'door_entered'];
const exits: readonly Situation[] = ['region_left', 'bed_left', 'door_left'];

const trackOf = ({ tracks = [] }: SensorState, number: number): Track | undefined =>
  tracks.find(({ id }) => id === number);

/**
 * Whether the device has reported the end of the fall, or people have closed it. A fall missing from the state, for
 * example after a sensor restart, counts as open.
 */
const isFallOver = (state: SensorState, { fall, track, isSensitive = false }: Subject): boolean => {
  if (track !== undefined) {
    const found = trackOf(state, track);
    // `fall` is when the fall began, or when it raised another alarm.
    const isOpen = (known: Track) => isDown(known) && fall !== undefined && fall >= (known.since ?? 0);
    return found !== undefined && !isOpen(found);
  }
  const found = state.falls.find((known) => known.start === fall && (known.isSensitive ?? false) === isSensitive);
  return found !== undefined && !mayLieThere(found) && !found.isUnreported;
};

/** Whether anyone is in the region. If the sensor tracks people, only the person in the event counts. */
const isInside = (state: SensorState, index: number, { track }: Subject): boolean =>
  (track === undefined ? state.inside : trackOf(state, track)?.inside)?.includes(index) ?? false;

/**
 * Whether the situation in an event is over according to the sensor state: the fall is finished or canceled, the sensor
 * is active again, or the room or region was left or entered again. Other situations never end.
 */
export const isSituationOver = (state: SensorState, { happening, receiveDate }: PastEvent): boolean => {
  const { situation, region, subject } = happening;
  if (situation === 'sensor_inactive') return state.isActive || state.lastSeen > receiveDate;
  if (situation === 'empty_room') return state.presence === true;
  if (situation === 'occupied_room') return state.presence === false;
  if (situation === null || !subject) return false;
  if (falls.includes(situation)) return isFallOver(state, subject);
  if (!region) return false;
  if (entries.includes(situation)) return !isInside(state, region.index, subject);
  return exits.includes(situation) && isInside(state, region.index, subject);
};
