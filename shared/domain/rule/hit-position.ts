import type { RuleHit } from './rule-hit.ts';

/**
 * A hit number, counted per sensor from 1 without gaps. If the previous number is unknown, a new series begins;
 * `series` is the start (ms).
 */
export type HitNumber = { series: number; number: number };

/**
 * A hit position, per customer. Ids increase from one hit to the next. `orderDate` (or `createDate` if missing) never
 * decreases: if the clock is set back, a hit takes the previous hit's date, which is later.
 */
export type HitPosition = Pick<RuleHit, 'id' | 'createDate'> & { orderDate?: number };

/** Returns the date (ms) that lists use to find a hit. It is never earlier than that of the customer's previous hit. */
export const orderDateOf = ({ createDate, orderDate = createDate }: HitPosition): number => orderDate;
