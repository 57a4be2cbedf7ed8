import type { EventDetails, Situation } from '../event/event.ts';

/**
 * Filters selecting the events a customer webhook receives. An event must match all of them; null matches any event.
 */
export type EventFilters = {
  eventTypes: number[] | null;
  situations: Situation[] | null;
  sensorGroupId: number | null;
};
export const noFilters: EventFilters = { eventTypes: null, situations: null, sensorGroupId: null };
export const filterNames = Object.keys(noFilters) as (keyof EventFilters)[];

const matches = <T>(list: readonly T[] | null, value: T | null): boolean =>
  list === null || (value !== null && list.includes(value));

/** Whether a webhook with these filters receives a sensor event. */
export const matchesFilters = (
  { eventTypes = null, situations = null, sensorGroupId = null }: Partial<EventFilters>,
  { code, situation }: Pick<EventDetails, 'code' | 'situation'>,
  { groupId }: { groupId: number },
): boolean =>
  matches(eventTypes, code) && matches(situations, situation) && (sensorGroupId === null || sensorGroupId === groupId);
