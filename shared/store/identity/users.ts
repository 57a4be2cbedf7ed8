import { AUDIT_RETENTION } from '#shared/domain/identity/audit-kinds.ts';
import type { Mailbox, User, UserAccess, UserProfile } from '#shared/domain/identity/user.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { channelKinds } from '#shared/domain/people/channel.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { addOne, removeOne } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';
import { type Account, unchangedRights } from './sessions.ts';

/**
 * A user as stored. `subject`: the hash of issuer and subject, for a user who logs in through an identity provider.
 * `lostAccess`: the user may not log in because the provider no longer grants access. `resetTo`: where reset codes go
 * for a while after users change their own address.
 */
export type UserItem = User & { accountKey: string; subject?: string; lostAccess?: true; resetTo?: Mailbox | null };
/** A user's credential: a password hash, or the subject at the identity provider. */
type Credential = string | { subject: string };

/** Returns a user's key. Users without a customer are under customer 0, which only they and system admins can read. */
export const userKey = (customerId: number | null, userId: number) =>
  items.user({ customerId: customerId ?? UNASSIGNED, userId });
const dutyKey = (customerId: number | null, userId: number) =>
  items.duty({ customerId: customerId ?? UNASSIGNED, userId });

const accountOf = (user: User, epoch: number): Account => {
  const { id: accountId, username, customerId, isAdmin, permissions, canLogin, locale } = user;
  return { accountId, username, customerId, isAdmin, permissions, canLogin, locale, epoch, mailbox: 0 };
};

const putCredential = (user: User, accountKey: string, credential: Credential): Write => {
  if (typeof credential === 'string') return { put: { ...items.password({ accountKey }), hash: credential } };
  const customerId = user.customerId ?? UNASSIGNED;
  const key = items.externalUser({ hash: credential.subject, customerId });
  return { put: { ...key, userId: user.id, customerId }, where: absent };
};

/** Returns the writes for a new user. They fail if the username is taken. */
const putUser = (user: User, accountKey: string, credential: Credential): Write[] => {
  const { customerId } = user;
  const name = usernameKey(user.username);
  const subject = typeof credential === 'string' ? {} : credential;
  const isExternal = typeof credential === 'string' ? {} : { isExternal: true };
  return [
    { put: { ...items.username({ username: name }), accountKey }, where: absent },
    { put: { ...user, ...userKey(customerId, user.id), accountKey, ...subject }, where: absent },
    { put: { ...accountOf(user, 0), ...isExternal, ...items.account({ accountKey }) }, where: absent },
    putCredential(user, accountKey, credential),
    { put: { ...items.owner({ kind: 'user', id: user.id }), customerId: customerId ?? UNASSIGNED } },
  ];
};

/**
 * Returns the item that leads to a deleted user's data. It is kept as long as the audit log, which is kept the longest.
 */
const formerUser = ({ customerId, id: userId, accountKey }: UserItem, now: number): Write => {
  const ttl = Math.ceil((now + AUDIT_RETENTION) / 1_000);
  return { put: { ...items.formerUser({ customerId: customerId ?? 0, userId }), accountKey, ttl } };
};

type Refusal = 'username_taken' | 'customer_unknown' | 'limit_reached';
const create = async (table: Table, { customerId }: User, limit: number, writes: Write[]): Promise<Refusal | null> => {
  if (customerId === null) return (await table.write(...writes)) && 'username_taken';
  const failed = await addOne(table, { customerId, kind: 'users', limit }, ...writes);
  if (typeof failed === 'string') return failed;
  return failed.length === 0 ? null : 'username_taken';
};

export const userReads = (table: TableReader) => ({
  get: (customerId: number | null, userId: number) => table.get<UserItem>(userKey(customerId, userId)),
  /** Returns the item that leads to a deleted user's data. */
  former: (customerId: number | null, userId: number) =>
    table.get<{ accountKey: string }>(items.formerUser({ customerId: customerId ?? 0, userId })),
  list: (customerId: number | null) =>
    table.queryAll<UserItem>({ pk: items.user.pk({ customerId: customerId ?? UNASSIGNED }), beginsWith: 'USER#' }),
});

const userWrites = (table: Table) => ({
  /**
   * Creates a user, or returns why it cannot. Enforces a unique username and at most `limit` users per customer, even
   * for parallel requests.
   */
  create: (user: User, accountKey: string, hash: string, limit: number): Promise<Refusal | null> =>
    create(table, user, limit, putUser(user, accountKey, hash)),
  /** Creates a user who logs in through an identity provider; `subject` is the hash of issuer and subject. */
  createExternal: (user: User, accountKey: string, subject: string, limit: number): Promise<Refusal | null> =>
    create(table, user, limit, putUser(user, accountKey, { subject })),

  /**
   * Replaces the profile. `resetTo`: where reset codes go for a while if the email address changes. Returns false if
   * the user was deleted, or the user's permissions or email address have changed.
   */
  setProfile: async (user: UserItem, profile: UserProfile, resetTo: Mailbox | null, now: number): Promise<boolean> => {
    const { accountKey, customerId, id, email } = user;
    const isMoved = profile.email !== email;
    const set = { ...profile, updateDate: now, ...(isMoved && { resetTo }) };
    const sameAddress = where('#email = :emailBefore', { emailBefore: email });
    const account = {
      set: { locale: profile.locale },
      ...(isMoved && { add: { mailbox: 1 } }),
      if: unchangedRights(user),
    };
    const failed = await table.write(
      { update: userKey(customerId, id), changes: changes({ set, if: sameAddress }) },
      { update: items.account({ accountKey }), changes: changes(account) },
    );
    return failed === null;
  },

  /**
   * Replaces a user's permissions, starting with the next request. Users who may no longer log in lose all sessions and
   * go off duty. Returns false if the user was deleted, or the permissions have changed since they were read.
   */
  setAccess: async (user: UserItem, access: UserAccess, now: number, isLost = false): Promise<boolean> => {
    const { accountKey, customerId, id } = user;
    const account = changes({ set: access, ...(!access.canLogin && { add: { epoch: 1 } }), if: unchangedRights(user) });
    const set = { ...access, updateDate: now, ...(isLost && { lostAccess: true }) };
    const userChanges = { set, ...(!isLost && { remove: ['lostAccess'] }), if: present };
    const failed = await table.write(
      { update: userKey(customerId, id), changes: changes(userChanges) },
      { update: items.account({ accountKey }), changes: account },
      ...(access.canLogin ? [] : [{ remove: dutyKey(customerId, id) }]),
    );
    return failed === null;
  },

  /**
   * Deletes a user, including the user's channels and duty. Without the account, no session or token is valid. Returns
   * false if the user was already deleted, or the user's permissions have changed since they were read.
   */
  remove: async (user: UserItem, now: number): Promise<boolean> => {
    const { accountKey, customerId, id, username, subject } = user;
    const writes: Write[] = [
      { remove: userKey(customerId, id), where: present },
      { remove: items.account({ accountKey }), where: unchangedRights(user) },
      { remove: items.password({ accountKey }) },
      { remove: items.otp({ accountKey }) },
      { remove: items.username({ username: usernameKey(username) }) },
      { remove: items.owner({ kind: 'user', id }) },
      { remove: dutyKey(customerId, id) },
      formerUser(user, now),
      ...(subject ? [{ remove: items.externalUser({ hash: subject, customerId: customerId ?? UNASSIGNED }) }] : []),
      ...channelKinds.map((by) => ({
        remove: items.channel({ customerId: customerId ?? UNASSIGNED, userId: id, by }),
      })),
    ];
    if (customerId === null) return (await table.write(...writes)) === null;
    return (await removeOne(table, { customerId, kind: 'users' }, ...writes)).length === 0;
  },
});

export const users = (table: Table) => ({ ...userReads(table), ...userWrites(table) });
