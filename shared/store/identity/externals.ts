import type { Table, TableReader } from '../engine/client.ts';
import { changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * A login in progress at the identity provider: the hash of the browser that started it, and what the response must
 * match.
 */
type OidcLogin = { browser: string; nonce: string; verifier: string; expires: number };
/** A user who logs in through an identity provider. One person can have users at several customers. */
type ExternalUser = { userId: number; customerId: number };

const ttlOf = (expires: number) => Math.ceil(expires / 1_000);

export const externalReads = (table: TableReader) => ({
  /** Returns a person's users, by the hash of issuer and subject. */
  usersOf: (hash: string) => table.queryAll<ExternalUser>({ pk: items.externalUser.pk({ hash }) }),
  /** Returns the ID token from the login, needed to log out at the identity provider. */
  idToken: async (hash: string): Promise<string | null> =>
    (await table.get<{ idToken: string }>(items.idToken({ hash })))?.idToken ?? null,
});

const externalWrites = (table: Table) => ({
  startLogin: async (hash: string, login: OidcLogin): Promise<void> => {
    await table.write({ put: { ...login, ...items.oidcLogin({ hash }), ttl: ttlOf(login.expires) } });
  },
  /**
   * Returns a started login by the hash of its `state`, but only once. Returns null if the login does not exist or was
   * already used (`isTaken`). If the response from the table is lost, no caller gets the login. The item is marked
   * instead of removed, because a removal would not show which request made it.
   */
  completeLogin: async (hash: string): Promise<OidcLogin | null> => {
    const isUnused = where('attribute_exists(pk) AND attribute_not_exists(#isTaken)');
    const update = changes({ set: { isTaken: true }, if: isUnused }, 'ALL_NEW');
    return (await table.update(items.oidcLogin({ hash }), update)) as OidcLogin | null;
  },
  keepIdToken: async (hash: string, idToken: string, expires: number): Promise<void> => {
    await table.write({ put: { idToken, ...items.idToken({ hash }), ttl: ttlOf(expires) } });
  },
});

export const externals = (table: Table) => ({ ...externalReads(table), ...externalWrites(table) });
