import * as z from 'zod';
import { TimeZone } from '../time/time-zone.ts';
import { id, millis, storedText, text } from '../values.ts';
import { email } from './email.ts';

const fields = { name: text(1, 128), location: text(0, 256), email };

/** The request body for creating or replacing a customer. */
export const CustomerUpdate = z
  .object({
    ...fields,
    timeZone: TimeZone.optional().meta({
      description:
        'IANA time zone for `{time}` in rules without a schedule. UTC for new customers; unchanged if left out',
    }),
    requireOtp: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether users with a password need a second factor. Starting with the next login, users without one can ' +
          'only set one up. False for new customers; unchanged if left out',
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
    name: storedText(1, 128),
    location: storedText(0, 256),
    timeZone: TimeZone,
    requireOtp: z.boolean().default(false),
    id,
    createDate: millis,
    updateDate: millis,
  })
  .meta({ id: 'Customer' });
export type Customer = z.input<typeof Customer>;
