import type { TableReader } from './client.ts';
import { items } from './table.ts';
import type { UserItem } from './users.ts';

export const peopleReads = (table: TableReader) => ({
  /** A user who may be told of what happens at a customer: one of its own, or a system admin. Null: there is no such user. */
  get: async (customerId: number, userId: number): Promise<UserItem | null> => {
    const own = await table.get<UserItem>(items.user({ customerId, userId }));
    if (own) return own;
    const home = await table.get<{ customerId: number }>(items.owner({ kind: 'user', id: userId }));
    const found = home && (await table.get<UserItem>(items.user({ customerId: home.customerId, userId })));
    return found?.isAdmin ? found : null;
  },
});

export const people = peopleReads;
