import { readFirst } from '../engine/bounded-page.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { present } from '../engine/request.ts';
import { items } from '../table.ts';
import type { Session } from './sessions.ts';

/** The maximum number of logins read per account, newest first. Ended logins stay listed for a day. */
const MAX_LOGINS = 100;
/** Points to a login session. Remains after a logout. */
type ListedLogin = { id: string; hash: string };
/** A session started by a login. */
type Login = Session & { id: string; hash: string; createDate: number };

const newest = async (table: TableReader, accountKey: string) => {
  const query = { pk: items.login.pk({ accountKey }), beginsWith: 'LOGIN#', newestFirst: true };
  return (await readFirst<ListedLogin>(table, query, MAX_LOGINS, MAX_LOGINS + 1)).rows;
};

export const loginReads = (table: TableReader) => ({
  /** Returns the account's newest logins that have not ended, newest first. */
  list: async (accountKey: string): Promise<Login[]> => {
    const listed = await newest(table, accountKey);
    const keys = listed.map(({ hash }) => items.session({ hash }));
    const found = keys.length === 0 ? [] : await table.getAll<Login>(keys);
    return listed.flatMap(({ id, hash }) =>
      found.filter((login) => login.id === id).map((login) => ({ ...login, hash })),
    );
  },
});

const loginWrites = (table: Table) => ({
  /** Ends a login session. Returns false if another request has just ended it. */
  end: async (accountKey: string, { hash, id: sessionId, createDate }: Login): Promise<boolean> => {
    const failed = await table.write(
      { remove: items.login({ accountKey, createDate, sessionId }), where: present },
      { remove: items.session({ hash }) },
    );
    return failed === null;
  },
});

export const logins = (table: Table) => ({ ...loginReads(table), ...loginWrites(table) });
