import type { Texts } from '../texts/en.ts';
import type { Situation } from '../texts/situations-en.ts';

/** Events whose situation is not named `type_action`. */
const others: Readonly<Record<string, Situation>> = {
  'presence/empty_room': 'empty_room',
  'presence/occupied_room': 'occupied_room',
  'posture/sitting_up_in_bed': 'sitting_up_in_bed',
};

const situationOf = (both: string): string => {
  const [type = '', action = ''] = both.split('/');
  if (others[both]) return others[both];
  return action.startsWith(`${type}_`) || type === 'vital' ? action : `${type}_${action}`;
};

/** The event (`type/action`) of a test of a webhook, which is about no sensor. */
export const TEST = 'test/ping';

/** Gives the name of an event (`type/action`) in the user's language; an unknown kind has the name that the API uses. */
export const nameOf = (event: string, { situations, sensor }: Texts): string => {
  if (event.startsWith('unknown/')) return sensor.events.unknown;
  if (event === 'message/late') return sensor.events.late;
  if (event === 'sensor/learning_completed') return sensor.events.learned;
  if (event === 'alarm/acknowledged') return sensor.events.acknowledged;
  if (event === TEST) return sensor.events.test;
  const known: Readonly<Record<string, string>> = situations;
  return known[situationOf(event)] ?? event;
};
