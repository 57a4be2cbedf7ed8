import type { Client } from '../client.ts';
import { ok } from '../problem.ts';
import { UsageError } from './command.ts';
import { readNumber } from './times.ts';

export const me = (client: Client) => ok(client.GET('/users/{userId}', { params: { path: { userId: 'me' } } }));

/** The customer that is meant: the one that is given, or that of the user. System admins belong to none. */
export const customerOf = async (client: Client, given: string | undefined): Promise<number> => {
  if (given !== undefined) return readNumber('customer', given, [1, Number.MAX_SAFE_INTEGER], 0);
  const { customerId } = await me(client);
  if (customerId === null) throw new UsageError('a system admin belongs to no customer: say which by --customer ID');
  return customerId;
};
