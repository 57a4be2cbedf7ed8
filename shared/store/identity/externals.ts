import type { Table, TableReader } from '../engine/client.ts';
import { changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** A login that goes on at the issuer: the browser that began it (a hash), and what its answer must fit. */
type OidcLogin = { browser: string; nonce: string; verifier: string; expires: number };
/** A user whom an issuer knows. Somebody may be one at several customers, at one of them at a time. */
type External = { userId: number; customerId: number };

const ttlOf = (expires: number) => Math.ceil(expires / 1_000);

export const externalReads = (table: TableReader) => ({
  /** The users of somebody whom an issuer knows, by the hash of issuer and subject. */
  usersOf: (hash: string) => table.queryAll<External>({ pk: items.externalUser.pk({ hash }) }),
  /** What the issuer said at the login of a session, for the logout there. */
  idToken: async (hash: string): Promise<string | null> =>
    (await table.get<{ idToken: string }>(items.idToken({ hash })))?.idToken ?? null,
});

const externalWrites = (table: Table) => ({
  begin: async (hash: string, login: OidcLogin): Promise<void> => {
    await table.write({ put: { ...login, ...items.oidcLogin({ hash }), ttl: ttlOf(login.expires) } });
  },
  /**
   * Takes a login that goes on, by the hash of its state: once, whoever asks. Null: there is none, or it was taken. Where
   * the answer of the table is lost, nobody gets it: of a removal, somebody else could have done it.
   */
  take: async (hash: string): Promise<OidcLogin | null> => {
    const isThere = where('attribute_exists(pk) AND attribute_not_exists(#isTaken)');
    const update = changes({ set: { isTaken: true }, if: isThere }, 'ALL_NEW');
    return (await table.update(items.oidcLogin({ hash }), update)) as OidcLogin | null;
  },
  keepIdToken: async (hash: string, idToken: string, expires: number): Promise<void> => {
    await table.write({ put: { idToken, ...items.idToken({ hash }), ttl: ttlOf(expires) } });
  },
});

export const externals = (table: Table) => ({ ...externalReads(table), ...externalWrites(table) });
