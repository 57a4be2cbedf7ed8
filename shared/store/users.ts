import type { User } from '../domain/user.ts';
import { usernameKey } from '../domain/user.ts';
import type { Table, TableReader } from './client.ts';
import { absent, present, type Write } from './request.ts';
import type { Account } from './sessions.ts';
import { items } from './table.ts';

type UserItem = User & { accountKey: string };

/** Users without a customer are kept under customer 0, where no session looks but the user's own and an admin's. */
const keyOf = (customerId: number | null, userId: number) => items.user({ customerId: customerId ?? 0, userId });

const accountOf = (user: User, epoch: number): Account => {
  const { id: accountId, customerId, isAdmin, permissions, canLogin, locale } = user;
  return { accountId, customerId, isAdmin, permissions, canLogin, locale, epoch };
};

export const userReads = (table: TableReader) => ({
  get: (customerId: number | null, userId: number) => table.get<UserItem>(keyOf(customerId, userId)),
  list: (customerId: number | null) =>
    table.queryAll<UserItem>({ pk: items.user.pk({ customerId: customerId ?? 0 }), beginsWith: 'USER#' }),
});

export const userWrites = (table: Table) => ({
  /** Creates a user whole, or says why not. The username is unique whatever happens at the same time. */
  create: async (
    user: User,
    accountKey: string,
    hash: string,
  ): Promise<'username_taken' | 'customer_unknown' | null> => {
    const name = usernameKey(user.username);
    const writes: Write[] = [
      { put: { ...items.username({ username: name }), accountKey }, where: absent },
      { put: { ...user, ...keyOf(user.customerId, user.id), accountKey }, where: absent },
      { put: { ...accountOf(user, 0), ...items.account({ accountKey }) }, where: absent },
      { put: { ...items.password({ accountKey }), hash } },
      { put: { ...items.home({ kind: 'user', id: user.id }), customerId: user.customerId ?? 0 } },
    ];
    if (user.customerId !== null)
      writes.push({ check: items.customer({ customerId: user.customerId }), where: present });
    const failed = await table.write(...writes);
    return failed === null ? null : failed.includes(0) ? 'username_taken' : 'customer_unknown';
  },
});
