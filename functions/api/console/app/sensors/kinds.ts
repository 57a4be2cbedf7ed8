import type { Event } from 'openapi';
import type { Texts } from '../texts/en.ts';
import type { Situation } from '../texts/situations-en.ts';

/** Events whose situation is not named `type_action`. */
const others: Readonly<Record<string, Situation>> = {
  'presence/empty_room': 'empty_room',
  'presence/occupied_room': 'occupied_room',
  'posture/sitting_up_in_bed': 'sitting_up_in_bed',
};

const situationOf = ({ type, action }: Pick<Event, 'type' | 'action'>): string => {
  const both = `${type}/${action}`;
  if (others[both]) return others[both];
  return action.startsWith(`${type}_`) || type === 'vital' ? action : `${type}_${action}`;
};

/** Gives the name of an event in the user's language; an unknown kind has the name that the API uses. */
export const nameOf = (event: Pick<Event, 'type' | 'action'>, { situations, sensor }: Texts): string => {
  if (event.type === 'unknown') return sensor.events.unknown;
  const known: Readonly<Record<string, string>> = situations;
  return known[situationOf(event)] ?? `${event.type} / ${event.action}`;
};
