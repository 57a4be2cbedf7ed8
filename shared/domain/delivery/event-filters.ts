import type { EventDetails, Situation } from '../event/event.ts';

/** What a customer webhook is told of: events that each of these names, where null names all (completion 12 "Filters"). */
export type EventFilters = {
  eventTypes: number[] | null;
  situations: Situation[] | null;
  sensorGroupId: number | null;
};
export const noFilters: EventFilters = { eventTypes: null, situations: null, sensorGroupId: null };
export const filterNames = Object.keys(noFilters) as (keyof EventFilters)[];

const names = <T>(list: readonly T[] | null, value: T | null): boolean =>
  list === null || (value !== null && list.includes(value));

/** Is an event of a sensor one that a webhook with these filters is told of? */
export const isNamed = (
  { eventTypes = null, situations = null, sensorGroupId = null }: Partial<EventFilters>,
  { code, situation }: Pick<EventDetails, 'code' | 'situation'>,
  { groupId }: { groupId: number },
): boolean =>
  names(eventTypes, code) && names(situations, situation) && (sensorGroupId === null || sensorGroupId === groupId);
