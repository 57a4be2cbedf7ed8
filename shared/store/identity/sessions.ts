import type { Permission } from '#shared/domain/identity/permission.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type Condition, changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** When a credential was made (ms). */
export type Made = { createDate: number };

/** A login or an access token. It is over when its time is; a login also when the account's epoch moved on. */
export type Session = Made & {
  kind: 'session' | 'token';
  accountId: number;
  epoch: number;
  csrf: string;
  /** ms; null: never. */
  expires: number | null;
  /** Of a token: what it is limited to; null: all that the account may do. */
  permissions?: readonly Permission[] | null;
  /** Of a token: it opens nothing but GET. */
  readOnly?: boolean;
  /** Of a login: its id in lists, and where it came from. */
  id?: string;
  address?: string;
  userAgent?: string;
  /** Of a login at an issuer: when (ms) that asked who it is, which may be long before; 0: it does not say. */
  authDate?: number;
  /** Of a login: the account must have a second factor and had none, so it may only set it up (completion 12). */
  mustSetOtp?: true;
  /** Of a token: what its user calls it. */
  name?: string;
  /** Of a token: ms, to the minute. */
  lastUsed?: number | null;
};

/** The session of a new login. */
type NewSession = Session & { id: string; expires: number };

/** What a request may do, beside the session that brings it: read at the same time, by the key inside the token. */
export type Account = {
  accountId: number;
  username: string;
  customerId: number | null;
  isAdmin: boolean;
  permissions: Permission[];
  canLogin: boolean;
  locale: string;
  epoch: number;
  /** Moves on with each change of the e-mail address. */
  mailbox: number;
  /** Its logins need a code. */
  hasOtp?: true;
  /** It logs in at an issuer, and has no password. */
  isExternal?: true;
};

/** A user as it was read: by what it may do was judged who may change it. */
export type ReadUser = { accountKey: string } & Pick<Account, 'isAdmin' | 'permissions'>;
/** The account may do what it might when that was judged. */
export const unchangedRights = ({ permissions, isAdmin }: ReadUser): Condition =>
  where('#permissions = :heldBefore AND #isAdmin = :adminBefore', { heldBefore: permissions, adminBefore: isAdmin });

export const sessionReads = (table: TableReader) => ({
  session: (hash: string) => table.get<Session>(items.session({ hash })),
  account: (accountKey: string) => table.get<Account>(items.account({ accountKey })),
  accountKeyOf: async (username: string): Promise<string | null> =>
    (await table.get<{ accountKey: string }>(items.username({ username })))?.accountKey ?? null,
  passwordHash: async (accountKey: string): Promise<string | null> =>
    (await table.get<{ hash: string }>(items.password({ accountKey })))?.hash ?? null,
  isKnownAddress: async (accountKey: string, address: string): Promise<boolean> =>
    (await table.get(items.knownAddress({ accountKey, address }))) !== null,
});

const sessionWrites = (table: Table) => ({
  /** Starts a session, and lists it among the logins of the account. */
  start: async (accountKey: string, hash: string, session: NewSession): Promise<void> => {
    const { id, createDate, expires } = session;
    const ttl = Math.ceil(expires / 1_000);
    const login = items.login({ accountKey, createDate, sessionId: id });
    await table.write({ put: { ...session, ...items.session({ hash }), ttl } }, { put: { id, hash, ...login, ttl } });
  },
  end: async (hash: string): Promise<void> => {
    await table.write({ remove: items.session({ hash }), where: present });
  },
  /** Keeps a password at a new cost, unless it was changed meanwhile. */
  rehash: async (accountKey: string, was: string, hash: string): Promise<void> => {
    await table.write({ put: { hash, ...items.password({ accountKey }) }, where: where('#hash = :was', { was }) });
  },
  /**
   * A new password, which ends all sessions at once: none carries the account's new epoch. `was`: the hash that it
   * replaces, null for whatever there is. False: it is another one by now, or the account is gone or may do something
   * else than what the change was judged by.
   */
  setPassword: async (user: ReadUser, was: string | null, hash: string): Promise<boolean> => {
    const { accountKey } = user;
    const failed = await table.write(
      {
        put: { hash, ...items.password({ accountKey }) },
        where: was === null ? present : where('#hash = :was', { was }),
      },
      { update: items.account({ accountKey }), changes: changes({ add: { epoch: 1 }, if: unchangedRights(user) }) },
    );
    return failed === null;
  },
  rememberAddress: async (accountKey: string, address: string, now: number): Promise<void> => {
    const ttl = Math.ceil(now / 1_000) + 400 * 86_400;
    await table.write({ put: { ...items.knownAddress({ accountKey, address }), ttl } });
  },
});

export const sessions = (table: Table) => ({ ...sessionReads(table), ...sessionWrites(table) });
