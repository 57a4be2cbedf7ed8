import type { Write } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * Returns the alarm id for a hit that no one acknowledged. It differs from the hit id, because the hit may also have an
 * alarm that did not reach anyone.
 */
export const unansweredId = (hitId: number): string => `unanswered-${hitId}`;

/** Returns the write that ends an unnotified alarm. It belongs in the same transaction as the change that ends it. */
export const endUnnotified = (customerId: number, alarmId: string): Write => ({
  remove: items.unnotified({ customerId, alarmId }),
});
