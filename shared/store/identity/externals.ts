import type { Table, TableReader } from '../engine/client.ts';
import { changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** A login that continues at the issuer: the hash of the browser that started it, and what the response must match. */
type OidcLogin = { browser: string; nonce: string; verifier: string; expires: number };
/** A user who logs in at an issuer. One person can have a user at each of several customers. */
type ExternalUser = { userId: number; customerId: number };

const ttlOf = (expires: number) => Math.ceil(expires / 1_000);

export const externalReads = (table: TableReader) => ({
  /** Returns the users of a person at an issuer, by the hash of issuer and subject. */
  usersOf: (hash: string) => table.queryAll<ExternalUser>({ pk: items.externalUser.pk({ hash }) }),
  /** Returns the ID token from the login of a session, which the logout at the issuer needs. */
  idToken: async (hash: string): Promise<string | null> =>
    (await table.get<{ idToken: string }>(items.idToken({ hash })))?.idToken ?? null,
});

const externalWrites = (table: Table) => ({
  startLogin: async (hash: string, login: OidcLogin): Promise<void> => {
    await table.write({ put: { ...login, ...items.oidcLogin({ hash }), ttl: ttlOf(login.expires) } });
  },
  /**
   * Returns a started login by the hash of its `state`, only once. Null if there is none, or it was used (`isTaken`).
   * If the response of the table is lost, nobody gets the login. The item is not removed instead, because a removal
   * would not show which call made it.
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
