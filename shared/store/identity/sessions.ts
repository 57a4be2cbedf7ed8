import type { Permission } from '#shared/domain/identity/permission.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type Condition, changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** When a credential was created (ms). */
export type Created = { createDate: number };

/** A login or an access token. Ends when it expires; a login also ends when the account epoch increases. */
export type Session = Created & {
  kind: 'session' | 'token';
  accountId: number;
  epoch: number;
  csrf: string;
  /** In ms, or null for never. */
  expires: number | null;
  /** Token: the permissions it is limited to, or null for all account permissions. */
  permissions?: readonly Permission[] | null;
  /** Token: only allows GET. */
  readOnly?: boolean;
  /** Login: list id and origin. */
  id?: string;
  address?: string;
  userAgent?: string;
  /**
   * Login through an identity provider: when (ms) the user authenticated there, possibly long before; 0 if not
   * reported.
   */
  authDate?: number;
  /** Login: the account requires a second factor but has none yet, so the session may only set one up. */
  mustSetOtp?: true;
  /** Login: belongs to a wall display, and is extended while in use. */
  display?: true;
  /** Token: user-chosen name. */
  name?: string;
  /** Token: when (ms, to the minute) it was last used. */
  lastUsed?: number | null;
};

/** The session for a new login. */
type NewSession = Session & { id: string; expires: number };

/** A user's permissions. Each request reads them together with the session, using the key inside the token. */
export type Account = {
  accountId: number;
  username: string;
  customerId: number | null;
  isAdmin: boolean;
  permissions: Permission[];
  canLogin: boolean;
  locale: string;
  epoch: number;
  /** Increases whenever the email address changes. */
  mailbox: number;
  /** Logins require a second-factor code. */
  hasOtp?: true;
  /** The user logs in through an identity provider and has no password. */
  isExternal?: true;
};

/** A user as read, with the permissions that decided whether the caller may change the user. */
export type ReadUser = { accountKey: string } & Pick<Account, 'isAdmin' | 'permissions'>;
/** Requires a user's permissions to be unchanged since they were read. */
export const unchangedRights = ({ permissions, isAdmin }: ReadUser): Condition =>
  where('#permissions = :heldBefore AND #isAdmin = :adminBefore', { heldBefore: permissions, adminBefore: isAdmin });

export const sessionReads = (table: TableReader) => ({
  /** `mayLag`: accept a result up to a few seconds old, at half the cost. */
  session: (hash: string, mayLag = false) => (mayLag ? table.getEventual : table.get)<Session>(items.session({ hash })),
  account: (accountKey: string, mayLag = false) =>
    (mayLag ? table.getEventual : table.get)<Account>(items.account({ accountKey })),
  accountKeyOf: async (username: string): Promise<string | null> =>
    (await table.get<{ accountKey: string }>(items.username({ username })))?.accountKey ?? null,
  passwordHash: async (accountKey: string): Promise<string | null> =>
    (await table.get<{ hash: string }>(items.password({ accountKey })))?.hash ?? null,
  isKnownAddress: async (accountKey: string, address: string): Promise<boolean> =>
    (await table.get(items.knownAddress({ accountKey, address }))) !== null,
});

const ttlOf = (expires: number) => Math.ceil(expires / 1_000);

const sessionWrites = (table: Table) => ({
  /** Starts a session, and lists it among the account's logins until `until` (ms). */
  start: async (accountKey: string, hash: string, session: NewSession, until = session.expires): Promise<void> => {
    const { id, createDate, expires } = session;
    const login = items.login({ accountKey, createDate, sessionId: id });
    await table.write(
      { put: { ...session, ...items.session({ hash }), ttl: ttlOf(expires) } },
      { put: { id, hash, ...login, ttl: ttlOf(until) } },
    );
  },
  /**
   * Extends a session that expires at `was` (ms). Returns false if another request has just extended it, or the session
   * has ended.
   */
  renew: async (hash: string, was: number, expires: number): Promise<boolean> => {
    const set = { expires, ttl: ttlOf(expires) };
    const updated = await table.update(
      items.session({ hash }),
      changes({ set, if: where('#expires = :was', { was }) }),
    );
    return updated !== null;
  },
  end: async (hash: string): Promise<void> => {
    await table.write({ remove: items.session({ hash }), where: present });
  },
  /** Replaces a password hash with one that has a new cost, unless the password has changed. */
  rehash: async (accountKey: string, was: string, hash: string): Promise<void> => {
    await table.write({ put: { hash, ...items.password({ accountKey }) }, where: where('#hash = :was', { was }) });
  },
  /**
   * Sets a password and ends all sessions, because they no longer match the account epoch. `was`: the hash to replace,
   * or null for any. Returns false if the password or the user's permissions have changed, or the user was deleted.
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
