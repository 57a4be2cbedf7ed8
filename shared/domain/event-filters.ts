import * as z from 'zod';
import { eventType, type Happening, Situation } from './event.ts';
import { id } from './values.ts';

const anyOf = <T extends z.ZodType>(one: T, what: string) =>
  z
    .array(one)
    .min(1)
    .max(64)
    .nullable()
    .default(null)
    .meta({ description: `customer webhooks alone; null: ${what}` });

/** What a customer webhook is told of: events that each of these names, where null names all (completion 12 "Filters"). */
export const eventFilters = {
  eventTypes: anyOf(eventType(), 'events of any type, and those without one'),
  situations: anyOf(Situation, 'events of any situation, and those without one'),
  sensorGroupId: id
    .nullable()
    .default(null)
    .meta({ description: 'customer webhooks alone; null: events of all sensors' }),
};
export type EventFilters = z.output<z.ZodObject<typeof eventFilters>>;
export const filterNames = ['eventTypes', 'situations', 'sensorGroupId'] as const satisfies (keyof EventFilters)[];
export const noFilters: EventFilters = { eventTypes: null, situations: null, sensorGroupId: null };

const names = <T>(list: readonly T[] | null | undefined, value: T | null): boolean =>
  list == null || (value !== null && list.includes(value));

/** Is an event of a sensor one that a webhook with these filters is told of? */
export const isNamed = (
  { eventTypes, situations, sensorGroupId = null }: Partial<EventFilters>,
  { code, situation }: Pick<Happening, 'code' | 'situation'>,
  { groupId }: { groupId: number },
): boolean =>
  names(eventTypes, code) && names(situations, situation) && (sensorGroupId === null || sensorGroupId === groupId);
