import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';
import { unchangedRights } from './sessions.ts';
import { keyOfUser, type UserItem } from './users.ts';

/**
 * The second factor of an account. `sealed`: its secret; `lastStep`: the newest time step whose code was used; `codes`:
 * the hashes of the recovery codes that are left.
 */
export type Otp = { sealed: string; isOn: boolean; lastStep: number; codes: string[] };
type Owner = Pick<UserItem, 'accountKey' | 'customerId' | 'id'>;
/** How a second factor is switched on: by the code of a step, in the session with this hash. */
type Proven = { lastStep: number; codes: readonly string[]; sessionHash: string };

export const otpReads = (table: TableReader) => ({
  get: (accountKey: string) => table.get<Otp>(items.otp({ accountKey })),
});

const otpWrites = (table: Table) => ({
  /** Keeps a secret that is not on yet, in place of an earlier one. False: the second factor is on. */
  begin: async (accountKey: string, sealed: string): Promise<boolean> => {
    const put = { sealed, isOn: false, lastStep: 0, codes: [], ...items.otp({ accountKey }) };
    const isOff = where('attribute_not_exists(pk) OR #isOn = :no', { no: false });
    return (await table.write({ put, where: isOff })) === null;
  },

  /**
   * Switches the second factor on. Its session may do all from now on if it had to do this first: by a write of its own,
   * after it, for its function may change nothing else of sessions. False: it has another secret by now, is on already, or
   * its user is gone.
   */
  switchOn: async (user: Owner, { sealed }: Otp, { sessionHash, ...proven }: Proven): Promise<boolean> => {
    const { accountKey } = user;
    const unchanged = where('#sealed = :sealed AND #isOn = :no', { sealed, no: false });
    const has = changes({ set: { hasOtp: true }, if: present });
    const failed = await table.write(
      { update: items.otp({ accountKey }), changes: changes({ set: { isOn: true, ...proven }, if: unchanged }) },
      { update: items.account({ accountKey }), changes: has },
      { update: keyOfUser(user.customerId, user.id), changes: has },
    );
    if (failed === null)
      await table.update(items.session({ hash: sessionHash }), changes({ remove: ['mustSetOtp'], if: present }));
    return failed === null;
  },

  /** Uses up the code of a time step. False: that of this or a later one was used just now. */
  useStep: async (accountKey: string, { sealed }: Otp, step: number): Promise<boolean> => {
    const isUnused = where('#sealed = :sealed AND #lastStep < :step', { sealed, step });
    const update = changes({ set: { lastStep: step }, if: isUnused });
    return (await table.update(items.otp({ accountKey }), update)) !== null;
  },

  /** Uses up a recovery code. False: there is none with this hash any more. */
  useCode: async (accountKey: string, hash: string): Promise<boolean> => {
    const key = items.otp({ accountKey });
    for (;;) {
      const was = (await table.get<Otp>(key))?.codes ?? [];
      if (!was.includes(hash)) return false;
      const codes = was.filter((code) => code !== hash);
      if (await table.update(key, changes({ set: { codes }, if: where('#codes = :was', { was }) }))) return true;
    }
  },

  /** Removes the second factor, and ends all sessions. Says why not: there is none, or the rights of the user changed. */
  remove: async (user: UserItem): Promise<'off' | 'changed' | null> => {
    const { accountKey } = user;
    const account = changes({ add: { epoch: 1 }, remove: ['hasOtp'], if: unchangedRights(user) });
    const failed = await table.write(
      { remove: items.otp({ accountKey }), where: where('#isOn = :yes', { yes: true }) },
      { update: items.account({ accountKey }), changes: account },
      { update: keyOfUser(user.customerId, user.id), changes: changes({ remove: ['hasOtp'], if: present }) },
    );
    if (failed === null) return null;
    return failed.includes(0) ? 'off' : 'changed';
  },
});

export const otps = (table: Table) => ({ ...otpReads(table), ...otpWrites(table) });
