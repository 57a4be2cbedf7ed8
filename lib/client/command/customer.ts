import type { Client } from '../client.ts';
import { ok } from '../problem.ts';
import { UsageError } from './command.ts';
import { readNumber } from './times.ts';

export const me = (client: Client) => ok(client.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));

/** The customer that is meant: the one that is given by `option`, or that of the user. System admins belong to none. */
export const customerOf = async (
  client: Client,
  given: string | undefined,
  option: 'customer' | 'of-customer' = 'customer',
): Promise<number> => {
  // Jobs are kept also for what belongs to no customer.
  const least = option === 'customer' ? 1 : 0;
  if (given !== undefined) return readNumber(option, given, [least, Number.MAX_SAFE_INTEGER], 0);
  const { customerId } = await me(client);
  if (customerId === null) throw new UsageError(`a system admin belongs to no customer: say which by --${option} ID`);
  return customerId;
};
