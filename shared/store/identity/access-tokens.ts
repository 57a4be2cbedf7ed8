import type { AccessToken } from '#shared/domain/identity/access-token.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, changes, where } from '../engine/request.ts';
import { items } from '../table.ts';
import { type ReadUser, type Session, unchangedRights } from './sessions.ts';

/** A token session, with everything shown in lists. */
type TokenSession = Session & Omit<AccessToken, 'expiresAt' | 'lastUsed'>;
/** The maximum number of access tokens per user. */
const MAX_ACCESS_TOKENS = 20;
/** Each token takes one of the user's slots, so that parallel requests cannot exceed the maximum. */
type Slot = { slot: number; id: string; hash: string; expires: number | null };

const slotsOf = (table: TableReader, accountKey: string) =>
  table.queryAll<Slot>({ pk: items.accessToken.pk({ accountKey }), beginsWith: 'TOKEN#' });
const hasExpired = ({ expires }: { expires: number | null }, now: number): boolean =>
  expires !== null && expires <= now;
const ttlOf = (expires: number | null) => (expires === null ? undefined : Math.ceil(expires / 1_000));

export const accessTokenReads = (table: TableReader) => ({
  /** Returns a user's unexpired tokens, oldest first. */
  list: async (accountKey: string, now: number): Promise<AccessToken[]> => {
    const slots = await slotsOf(table, accountKey);
    const keys = slots.filter((slot) => !hasExpired(slot, now)).map(({ hash }) => items.session({ hash }));
    const sessions = keys.length === 0 ? [] : await table.getAll<TokenSession>(keys);
    return sessions
      .map(({ expires, lastUsed = null, ...rest }) => ({ ...rest, lastUsed, expiresAt: expires }))
      .sort((a, b) => a.createDate - b.createDate || a.id.localeCompare(b.id));
  },
});

const accessTokenWrites = (table: Table) => ({
  /**
   * Creates a token if the user has a free slot and the user's permissions have not changed since they were checked.
   */
  create: async (
    user: ReadUser,
    hash: string,
    token: TokenSession,
    now: number,
  ): Promise<'too_many' | 'changed' | null> => {
    const { accountKey } = user;
    const taken = (await slotsOf(table, accountKey)).filter((slot) => !hasExpired(slot, now)).map(({ slot }) => slot);
    const free = Array.from({ length: MAX_ACCESS_TOKENS }, (_, at) => at).filter((slot) => !taken.includes(slot));
    const { expires, id } = token;
    const ttl = ttlOf(expires);
    // Start at a random free slot, so that parallel requests rarely choose the same one.
    const start = hash.charCodeAt(0) + hash.charCodeAt(1);
    for (const turn of free.keys()) {
      const slot = free[(start + turn) % free.length] ?? 0;
      const failed = await table.write(
        { check: items.account({ accountKey }), where: unchangedRights(user) },
        {
          put: { slot, id, hash, expires, ...items.accessToken({ accountKey, slot }), ttl },
          where: where('attribute_not_exists(pk) OR #expires <= :now', { now }),
        },
        { put: { ...token, ...items.session({ hash }), ttl }, where: absent },
      );
      if (!failed) return null;
      if (failed.includes(0)) return 'changed';
    }
    return 'too_many';
  },

  /** Deletes a token. Returns false if no token has that id. */
  remove: async (accountKey: string, id: string, now: number): Promise<boolean> => {
    const found = (await slotsOf(table, accountKey)).find((slot) => slot.id === id && !hasExpired(slot, now));
    if (!found) return false;
    const { slot, hash } = found;
    const failed = await table.write(
      { remove: items.accessToken({ accountKey, slot }), where: where('#id = :id', { id }) },
      { remove: items.session({ hash }) },
    );
    return failed === null;
  },

  /** Deletes a deleted user's tokens, which are already invalid. */
  removeAll: async (accountKey: string): Promise<void> => {
    for (const { slot, hash } of await slotsOf(table, accountKey))
      await table.write({ remove: items.accessToken({ accountKey, slot }) }, { remove: items.session({ hash }) });
  },

  /** Records the use of a token, unless one was recorded after `before` (ms) or the token was deleted. */
  recordUse: async (hash: string, before: number, now: number): Promise<void> => {
    const isOutdated = where('attribute_exists(pk) AND (attribute_not_exists(#lastUsed) OR #lastUsed <= :before)', {
      before,
    });
    await table.update(items.session({ hash }), changes({ set: { lastUsed: now }, if: isOutdated }));
  },
});

export const accessTokens = (table: Table) => ({ ...accessTokenReads(table), ...accessTokenWrites(table) });
