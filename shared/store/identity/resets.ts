import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';
import type { Account, Created } from './sessions.ts';

/** The user whose password a reset code sets. */
export type ResetUser = Pick<Account, 'accountId' | 'customerId'> & { username: string };

/**
 * A code to set a password once. It becomes invalid when it expires, or when the password or the user's email address
 * changes.
 */
type Reset = Created & ResetUser & { accountKey: string; epoch: number; mailbox: number; expires: number };

export const resetReads = (table: TableReader) => ({
  byHash: (hash: string) => table.get<Reset>(items.reset({ hash })),
});

const resetWrites = (table: Table) => ({
  create: async (hash: string, reset: Reset): Promise<void> => {
    const ttl = Math.ceil(reset.expires / 1_000);
    const { accountKey } = reset;
    await table.write(
      { put: { ...reset, ...items.reset({ hash }), ttl } },
      { put: { ...items.resetOfAccount({ accountKey, hash }), ttl } },
    );
  },

  /** Uses up a code: sets the password and ends all sessions. Returns false if the code is invalid or was just used. */
  use: async (hash: string, { accountKey, epoch, mailbox }: Reset, passwordHash: string): Promise<boolean> => {
    const account = changes({
      add: { epoch: 1 },
      if: where('#epoch = :was AND #mailbox = :mailbox AND #canLogin = :yes', { was: epoch, mailbox, yes: true }),
    });
    const failed = await table.write(
      { remove: items.reset({ hash }), where: present },
      { put: { hash: passwordHash, ...items.password({ accountKey }) }, where: present },
      { update: items.account({ accountKey }), changes: account },
    );
    return failed === null;
  },
});

export const resets = (table: Table) => ({ ...resetReads(table), ...resetWrites(table) });
