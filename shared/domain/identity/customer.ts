import * as z from 'zod';
import { TimeZone } from '../time/time-zone.ts';
import { id, millis, text } from '../values.ts';
import { email } from './email.ts';

const fields = { name: text(1, 128), location: text(0, 256), email };

/** The body of a request that creates or replaces a customer. */
export const CustomerUpdate = z
  .object({
    ...fields,
    timeZone: TimeZone.optional().meta({
      description: 'IANA; `{time}` of rules without a schedule is in it. A new customer has UTC; left out, it stays.',
    }),
    requireOtp: z
      .boolean()
      .optional()
      .meta({
        description:
          'From their next login on, users with a password and without a second factor can only set it up. A new ' +
          'customer does not demand it; left out, it stays.',
      }),
  })
  .meta({
    id: 'CustomerUpdate',
    examples: [
      { name: 'Maple House', location: 'Maple Street 1', email: 'office@example.com', timeZone: 'Europe/Berlin' },
    ],
  });
export type CustomerUpdate = z.infer<typeof CustomerUpdate>;

/** A customer (D1 "Customer"). */
export const Customer = z
  .object({
    ...fields,
    timeZone: TimeZone,
    requireOtp: z.boolean().default(false),
    id,
    createDate: millis,
    updateDate: millis,
  })
  .meta({ id: 'Customer' });
export type Customer = z.input<typeof Customer>;
