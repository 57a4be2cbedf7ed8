import type { Table, TableReader } from '../engine/client.ts';
import { firstOf } from '../engine/look.ts';
import { present } from '../engine/request.ts';
import { items } from '../table.ts';
import type { Session } from './sessions.ts';

/** How many of the newest logins of an account are looked at. Those that have ended are among them for a day. */
const MOST = 100;
/** Where the session of a login is. It outlives a session that was logged out. */
type Listed = { id: string; hash: string };
/** A session that a login started. */
type Login = Session & { id: string; hash: string; createDate: number };

const newest = async (table: TableReader, accountKey: string) => {
  const query = { pk: items.login.pk({ accountKey }), beginsWith: 'LOGIN#', newestFirst: true };
  return (await firstOf<Listed>(table, query, MOST, MOST + 1)).rows;
};

export const loginReads = (table: TableReader) => ({
  /** The sessions among the newest logins of an account that were not logged out, the newest first. */
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
  /** Ends the session of a login. False: it was ended just now. */
  end: async (accountKey: string, { hash, id: sessionId, createDate }: Login): Promise<boolean> => {
    const failed = await table.write(
      { remove: items.login({ accountKey, createDate, sessionId }), where: present },
      { remove: items.session({ hash }) },
    );
    return failed === null;
  },
});

export const logins = (table: Table) => ({ ...loginReads(table), ...loginWrites(table) });
