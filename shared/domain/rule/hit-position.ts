import type { RuleHit } from './rule-hit.ts';

/**
 * The number of a hit among those of its sensor, from 1 without gaps. A new `series` (its start, ms) begins if the number of
 * the previous hit is unknown.
 */
export type HitNumber = { series: number; number: number };

/**
 * The position of a hit among those of its customer. From one hit to the next the id grows, and so does `orderDate`, or
 * `createDate` if it is missing: it is the date of an earlier hit that was later, because the clock was set back since.
 */
export type HitPosition = Pick<RuleHit, 'id' | 'createDate'> & { orderDate?: number };

/** Returns the date (ms) by which lists find a hit. It never falls from one hit of a customer to the next. */
export const orderDateOf = ({ createDate, orderDate = createDate }: HitPosition): number => orderDate;
