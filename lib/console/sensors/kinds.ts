import { kinds } from '#shared/domain/kinds.ts';
import type { Texts } from '../texts/en.ts';

/** The situation of each event (`type/action`). */
const situationOf = new Map(
  (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => [`${kinds[kind].type}/${kinds[kind].action}`, kind]),
);

/** The event (`type/action`) of a test of a webhook, which is about no sensor. */
export const TEST = 'test/ping';

/** Gives the name of an event (`type/action`) in the user's language; an unknown kind has the name that the API uses. */
export const nameOf = (event: string, { situations, sensor }: Texts): string => {
  if (event.startsWith('unknown/')) return sensor.events.unknown;
  if (event === 'message/late') return sensor.events.late;
  if (event === 'sensor/learning_completed') return sensor.events.learned;
  if (event === 'alarm/acknowledged') return sensor.events.acknowledged;
  if (event === TEST) return sensor.events.test;
  const situation = situationOf.get(event);
  return situation ? situations[situation] : event;
};
