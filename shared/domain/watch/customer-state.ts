import * as z from 'zod';
import { id, millis } from '../values.ts';

/** The maximum number of customers whose states are read at once. */
export const MAX_CUSTOMERS = 30;

/** A customer's state in the list for system admins. */
export const CustomerState = z
  .object({
    customerId: id,
    openAlarms: z.int().min(0).meta({ description: 'counted up to 100' }),
    gaps: z.int().min(0).meta({ description: "the number of monitoring gaps, as in the customer's watch" }),
    isFallGap: z.boolean().meta({ description: 'at least one gap is about falls' }),
    date: millis.meta({ description: 'when the gaps were computed' }),
  })
  .meta({ id: 'CustomerState' });
export type CustomerState = z.infer<typeof CustomerState>;
