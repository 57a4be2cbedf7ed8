import * as z from 'zod';
import { eventType, Situation } from '../event/event.ts';
import { id } from '../values.ts';
import type { EventFilters } from './event-filters.ts';

const anyOf = <T extends z.ZodType>(element: T, what: string) =>
  z
    .array(element)
    .min(1)
    .max(64)
    .nullable()
    .default(null)
    .meta({ description: `customer webhooks alone; null: ${what}` });

/** The fields of a webhook that say which events it is told of (completion 12 "Filters"). */
export const eventFilterFields = {
  eventTypes: anyOf(eventType(), 'events of any type, and those without one'),
  situations: anyOf(Situation, 'events of any situation, and those without one'),
  sensorGroupId: id
    .nullable()
    .default(null)
    .meta({ description: 'customer webhooks alone; null: events of all sensors' }),
} satisfies Record<keyof EventFilters, z.ZodType>;
