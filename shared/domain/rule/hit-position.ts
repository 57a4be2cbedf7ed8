import type { RuleHit } from './rule-hit.ts';

/**
 * The number of a hit among the hits of its sensor, from 1 without gaps. A new `series` (its start, ms) begins if the
 * number of the previous hit is unknown.
 */
export type HitNumber = { series: number; number: number };

/**
 * The position of a hit among the hits of its customer. Ids increase from one hit to the next. `orderDate` (or
 * `createDate` if it is missing) never decreases: if the clock is set back, a hit gets the later date of an earlier
 * hit.
 */
export type HitPosition = Pick<RuleHit, 'id' | 'createDate'> & { orderDate?: number };

/** Returns the date (ms) by which lists find a hit. It never decreases from one hit of a customer to the next. */
export const orderDateOf = ({ createDate, orderDate = createDate }: HitPosition): number => orderDate;
