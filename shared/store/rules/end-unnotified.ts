import type { Write } from '../engine/request.ts';
import { items } from '../table.ts';

/** The write that ends an unnotified alarm. It belongs in the transaction of the change that ends it. */
export const endUnnotified = (customerId: number, alarmId: string): Write => ({
  remove: items.unnotified({ customerId, alarmId }),
});
