import * as z from 'zod';
import { email } from './email.ts';
import { id, millis, text } from './values.ts';

/** The body of a request that creates or replaces a customer. */
export const CustomerUpdate = z.object({ name: text(1, 128), location: text(0, 256), email }).meta({
  id: 'CustomerUpdate',
  examples: [{ name: 'Maple House', location: 'Maple Street 1', email: 'office@example.com' }],
});
export type CustomerUpdate = z.infer<typeof CustomerUpdate>;

/** A customer (D1 "Customer"). */
export const Customer = CustomerUpdate.extend({ id, createDate: millis, updateDate: millis }).meta({ id: 'Customer' });
export type Customer = z.infer<typeof Customer>;
