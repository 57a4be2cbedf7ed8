import type { Write } from '../engine/request.ts';
import { items } from '../table.ts';

/** The id of the alarm of a hit that nobody acknowledged. The same hit may have another alarm that reached nobody. */
export const unansweredId = (hitId: number): string => `unanswered-${hitId}`;

/** The write that ends an unnotified alarm. It belongs in the transaction of the change that ends it. */
export const endUnnotified = (customerId: number, alarmId: string): Write => ({
  remove: items.unnotified({ customerId, alarmId }),
});
