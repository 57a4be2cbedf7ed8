import { kinds } from '#shared/domain/kinds.ts';
import type { Texts } from '../texts/en.ts';

/** The situation for each event (`type/action`). */
const situationOf = new Map(
  (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => [`${kinds[kind].type}/${kinds[kind].action}`, kind]),
);

/** The event (`type/action`) for a webhook test, which has no sensor. */
export const TEST_EVENT = 'test/ping';

/** Returns the event name in the user's language, or the API name (`type/action`) if it is unknown. */
export const eventName = (event: string, { situations, sensor }: Texts): string => {
  if (event.startsWith('unknown/')) return sensor.events.unknown;
  if (event === 'message/late') return sensor.events.late;
  if (event === 'message/uuid_reused') return sensor.events.uuidReused;
  if (event === 'sensor/learning_completed') return sensor.events.learned;
  if (event === 'alarm/acknowledged') return sensor.events.acknowledged;
  if (event === TEST_EVENT) return sensor.events.test;
  const situation = situationOf.get(event);
  return situation ? situations[situation] : event;
};
