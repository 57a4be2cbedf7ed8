import type { EventDetails, Situation } from '../event/event.ts';

/**
 * The filters that select which events a customer webhook receives. An event must match all of them; null matches every
 * event.
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

/** Whether a webhook with these filters receives an event of a sensor. */
export const matchesFilters = (
  { eventTypes = null, situations = null, sensorGroupId = null }: Partial<EventFilters>,
  { code, situation }: Pick<EventDetails, 'code' | 'situation'>,
  { groupId }: { groupId: number },
): boolean =>
  matches(eventTypes, code) && matches(situations, situation) && (sensorGroupId === null || sensorGroupId === groupId);
