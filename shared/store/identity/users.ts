import { AUDIT_KEPT } from '#shared/domain/identity/audit-kinds.ts';
import type { User, UserAccess, UserUpdate } from '#shared/domain/identity/user.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { channelKinds } from '#shared/domain/people/channel.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { giveOne, takeOne } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';
import { type Account, unchangedRights } from './sessions.ts';

/**
 * `subject`: it logs in at an issuer, which knows it by this hash. `lostAccess`: it may not log in because the issuer says
 * nothing any more that lets it.
 */
export type UserItem = User & { accountKey: string; subject?: string; lostAccess?: true };
/** What proves a login: the hash of a password, or an issuer. */
type Proof = string | { subject: string };

/** Users without a customer are kept under customer 0, which only their own sessions and system admins can read. */
export const keyOfUser = (customerId: number | null, userId: number) =>
  items.user({ customerId: customerId ?? UNASSIGNED, userId });
const dutyOf = (customerId: number | null, userId: number) =>
  items.duty({ customerId: customerId ?? UNASSIGNED, userId });

const accountOf = (user: User, epoch: number): Account => {
  const { id: accountId, username, customerId, isAdmin, permissions, canLogin, locale } = user;
  return { accountId, username, customerId, isAdmin, permissions, canLogin, locale, epoch, mailbox: 0 };
};

const proofOf = ({ id: userId, customerId }: User, accountKey: string, proof: Proof): Write => {
  if (typeof proof === 'string') return { put: { ...items.password({ accountKey }), hash: proof } };
  const at = { customerId: customerId ?? UNASSIGNED };
  const key = items.externalUser({ hash: proof.subject, ...at });
  return { put: { ...key, userId, ...at }, where: absent };
};

/** All that a new user is, if its name is free. */
const creating = (user: User, accountKey: string, proof: Proof): Write[] => {
  const { customerId } = user;
  const name = usernameKey(user.username);
  const isKnown = typeof proof === 'string' ? {} : proof;
  const isExternal = typeof proof === 'string' ? {} : { isExternal: true };
  return [
    { put: { ...items.username({ username: name }), accountKey }, where: absent },
    { put: { ...user, ...keyOfUser(customerId, user.id), accountKey, ...isKnown }, where: absent },
    { put: { ...accountOf(user, 0), ...isExternal, ...items.account({ accountKey }) }, where: absent },
    proofOf(user, accountKey, proof),
    { put: { ...items.owner({ kind: 'user', id: user.id }), customerId: customerId ?? UNASSIGNED } },
  ];
};

/** What a deleted user left is found by this: lines of the audit are kept longest. */
const formerUser = ({ customerId, id: userId, accountKey }: UserItem, now: number): Write => {
  const ttl = Math.ceil((now + AUDIT_KEPT) / 1_000);
  return { put: { ...items.formerUser({ customerId: customerId ?? 0, userId }), accountKey, ttl } };
};

type Created = 'username_taken' | 'customer_unknown' | 'limit_reached' | null;
const create = async (table: Table, { customerId }: User, most: number, writes: Write[]): Promise<Created> => {
  if (customerId === null) return (await table.write(...writes)) && 'username_taken';
  const failed = await giveOne(table, { customerId, kind: 'users', most }, ...writes);
  if (typeof failed === 'string') return failed;
  return failed.length === 0 ? null : 'username_taken';
};

export const userReads = (table: TableReader) => ({
  get: (customerId: number | null, userId: number) => table.get<UserItem>(keyOfUser(customerId, userId)),
  /** What is kept of a deleted user. */
  former: (customerId: number | null, userId: number) =>
    table.get<{ accountKey: string }>(items.formerUser({ customerId: customerId ?? 0, userId })),
  list: (customerId: number | null) =>
    table.queryAll<UserItem>({ pk: items.user.pk({ customerId: customerId ?? UNASSIGNED }), beginsWith: 'USER#' }),
});

const userWrites = (table: Table) => ({
  /**
   * Creates a user whole, or says why not: the username is unique, and the customer has `most` users at most, whatever
   * happens at the same time.
   */
  create: (user: User, accountKey: string, hash: string, most: number): Promise<Created> =>
    create(table, user, most, creating(user, accountKey, hash)),
  /** Creates a user of an issuer, whom it knows by the hash `subject`, in the same way. */
  createExternal: (user: User, accountKey: string, subject: string, most: number): Promise<Created> =>
    create(table, user, most, creating(user, accountKey, { subject })),

  /** Replaces the profile; false: the user is gone, or may do something else or has another address by now. */
  setProfile: async (user: UserItem, profile: UserUpdate, now: number): Promise<boolean> => {
    const { accountKey, customerId, id, email } = user;
    const set = { ...profile, updateDate: now };
    const sameAddress = where('#email = :emailBefore', { emailBefore: email });
    const isMoved = profile.email !== email;
    const account = {
      set: { locale: profile.locale },
      ...(isMoved && { add: { mailbox: 1 } }),
      if: unchangedRights(user),
    };
    const failed = await table.write(
      { update: keyOfUser(customerId, id), changes: changes({ set, if: sameAddress }) },
      { update: items.account({ accountKey }), changes: changes(account) },
    );
    return failed === null;
  },

  /**
   * Replaces what a user may do, for the very next request; whoever may not log in has no session left, and is off duty. False: the user
   * is gone, or may do something else by now than what the change was judged by.
   */
  setAccess: async (user: UserItem, access: UserAccess, now: number, isLost = false): Promise<boolean> => {
    const { accountKey, customerId, id } = user;
    const account = changes({ set: access, ...(!access.canLogin && { add: { epoch: 1 } }), if: unchangedRights(user) });
    const set = { ...access, updateDate: now, ...(isLost && { lostAccess: true }) };
    const own = { set, ...(!isLost && { remove: ['lostAccess'] }), if: present };
    const failed = await table.write(
      { update: keyOfUser(customerId, id), changes: changes(own) },
      { update: items.account({ accountKey }), changes: account },
      ...(access.canLogin ? [] : [{ remove: dutyOf(customerId, id) }]),
    );
    return failed === null;
  },

  /**
   * Removes a user whole, with channels and duty: without its account no session or token opens anything. False: it is gone already, or may do
   * something else by now than what the removal was judged by.
   */
  remove: async (user: UserItem, now: number): Promise<boolean> => {
    const { accountKey, customerId, id, username, subject } = user;
    const writes: Write[] = [
      { remove: keyOfUser(customerId, id), where: present },
      { remove: items.account({ accountKey }), where: unchangedRights(user) },
      { remove: items.password({ accountKey }) },
      { remove: items.otp({ accountKey }) },
      { remove: items.username({ username: usernameKey(username) }) },
      { remove: items.owner({ kind: 'user', id }) },
      { remove: dutyOf(customerId, id) },
      formerUser(user, now),
      ...(subject ? [{ remove: items.externalUser({ hash: subject, customerId: customerId ?? UNASSIGNED }) }] : []),
      ...channelKinds.map((by) => ({
        remove: items.channel({ customerId: customerId ?? UNASSIGNED, userId: id, by }),
      })),
    ];
    if (customerId === null) return (await table.write(...writes)) === null;
    return (await takeOne(table, { customerId, kind: 'users' }, ...writes)).length === 0;
  },
});

export const users = (table: Table) => ({ ...userReads(table), ...userWrites(table) });
