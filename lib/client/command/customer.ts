import type { Client } from '../client.ts';
import { ok } from '../problem.ts';
import { UsageError } from './command.ts';
import { readNumber } from './times.ts';

export const me = (client: Client) => ok(client.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));

/** Returns the customer given in the option, or else the user's customer. */
export const customerOf = async (
  client: Client,
  value: string | undefined,
  option: 'customer' | 'of-customer' = 'customer',
): Promise<number> => {
  // Jobs whose subject has no customer are listed under customer 0.
  const min = option === 'customer' ? 1 : 0;
  if (value !== undefined) return readNumber(option, value, [min, Number.MAX_SAFE_INTEGER], 0);
  const { customerId } = await me(client);
  if (customerId === null) throw new UsageError(`system admins belong to no customer: specify one with --${option} ID`);
  return customerId;
};
