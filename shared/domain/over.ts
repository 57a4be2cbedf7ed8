import type { EventDetails, Situation, Subject } from './event/event.ts';
import { isEnded, type SensorState, type Track } from './sensor/sensor-state.ts';

type Happened = { happening: Pick<EventDetails, 'situation' | 'region' | 'subject'>; receiveDate: number };

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

/** Is the fall finished or canceled? One that a state has forgotten, as when its sensor restarts, is not known to be. */
const isFallOver = (state: SensorState, { fall, track, isSensitive = false }: Subject): boolean => {
  if (track !== undefined) {
    const found = trackOf(state, track);
    return found !== undefined && (!found.fallPostures || found.since !== fall);
  }
  const found = state.falls.find((known) => known.start === fall && (known.isSensitive ?? false) === isSensitive);
  return found !== undefined && isEnded(found);
};

/** Is somebody in the region: the person of the event, where the sensor tells persons apart? */
const isInside = (state: SensorState, index: number, { track }: Subject): boolean =>
  (track === undefined ? state.inside : trackOf(state, track)?.inside)?.includes(index) ?? false;

/**
 * Is what happened over, by the state of its sensor (completion 12 "Escalation")? A fall is finished or canceled, a sensor
 * active again, a room or region left or entered again; everything else is never over.
 */
export const isOver = (state: SensorState, { happening, receiveDate }: Happened): boolean => {
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
