import type { RuleHit } from './rule-hit.ts';

/**
 * A hit's number for its sensor, starting at 1 without gaps. A new `series` (its start, ms) begins if the previous
 * hit's number is unknown.
 */
export type HitNumber = { series: number; number: number };

/**
 * A hit's position for its customer. Ids increase from one hit to the next. `orderDate` (or `createDate` if missing)
 * never decreases: if the clock is set back, a hit gets the later date of an earlier one.
 */
export type HitPosition = Pick<RuleHit, 'id' | 'createDate'> & { orderDate?: number };

/** Returns the date (ms) that lists use to find a hit. It is never earlier than that of the customer's previous hit. */
export const orderDateOf = ({ createDate, orderDate = createDate }: HitPosition): number => orderDate;
