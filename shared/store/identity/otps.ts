import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';
import { unchangedRights } from './sessions.ts';
import { type UserItem, userKey } from './users.ts';

/**
 * The second factor for an account. `sealed`: the encrypted secret; `lastStep`: the newest time step whose code was
 * used; `codes`: the hashes of the remaining recovery codes.
 */
export type Otp = { sealed: string; isOn: boolean; lastStep: number; codes: string[] };
type OtpUser = Pick<UserItem, 'accountKey' | 'customerId' | 'id'>;
/**
 * The proof required to enable a second factor: the time step of a valid code, entered in the session with this hash.
 */
type OtpProof = { lastStep: number; codes: readonly string[]; sessionHash: string };

export const otpReads = (table: TableReader) => ({
  get: (accountKey: string) => table.get<Otp>(items.otp({ accountKey })),
});

const otpWrites = (table: Table) => ({
  /**
   * Stores an encrypted secret that is not enabled yet, replacing any earlier one. Returns false if the second factor
   * is enabled.
   */
  storeSecret: async (accountKey: string, encryptedSecret: string): Promise<boolean> => {
    const put = { sealed: encryptedSecret, isOn: false, lastStep: 0, codes: [], ...items.otp({ accountKey }) };
    const isOff = where('attribute_not_exists(pk) OR #isOn = :no', { no: false });
    return (await table.write({ put, where: isOff })) === null;
  },

  /**
   * Enables the second factor. If the session was limited to setting it up, a separate write then lifts that limit,
   * because this function may change nothing else about sessions. Returns false if the secret has changed, the second
   * factor is already enabled, or the user was deleted.
   */
  enable: async (user: OtpUser, { sealed: secret }: Otp, { sessionHash, ...proof }: OtpProof): Promise<boolean> => {
    const { accountKey } = user;
    const unchanged = where('#sealed = :secret AND #isOn = :no', { secret, no: false });
    const has = changes({ set: { hasOtp: true }, if: present });
    const failed = await table.write(
      { update: items.otp({ accountKey }), changes: changes({ set: { isOn: true, ...proof }, if: unchanged }) },
      { update: items.account({ accountKey }), changes: has },
      { update: userKey(user.customerId, user.id), changes: has },
    );
    if (failed === null)
      await table.update(items.session({ hash: sessionHash }), changes({ remove: ['mustSetOtp'], if: present }));
    return failed === null;
  },

  /** Uses up the code for a time step. Returns false if this code or a later one was just used. */
  useStep: async (accountKey: string, { sealed: secret }: Otp, step: number): Promise<boolean> => {
    const isUnused = where('#sealed = :secret AND #lastStep < :step', { secret, step });
    const update = changes({ set: { lastStep: step }, if: isUnused });
    return (await table.update(items.otp({ accountKey }), update)) !== null;
  },

  /** Uses up a recovery code. Returns false if no unused code has this hash. */
  useCode: async (accountKey: string, hash: string): Promise<boolean> => {
    const key = items.otp({ accountKey });
    for (;;) {
      const was = (await table.get<Otp>(key))?.codes ?? [];
      if (!was.includes(hash)) return false;
      const codes = was.filter((code) => code !== hash);
      if (await table.update(key, changes({ set: { codes }, if: where('#codes = :was', { was }) }))) return true;
    }
  },

  /**
   * Removes the second factor and ends all sessions. If it cannot, returns the reason: no second factor is enabled, or
   * the user's permissions have changed.
   */
  remove: async (user: UserItem): Promise<'off' | 'changed' | null> => {
    const { accountKey } = user;
    const account = changes({ add: { epoch: 1 }, remove: ['hasOtp'], if: unchangedRights(user) });
    const failed = await table.write(
      { remove: items.otp({ accountKey }), where: where('#isOn = :yes', { yes: true }) },
      { update: items.account({ accountKey }), changes: account },
      { update: userKey(user.customerId, user.id), changes: changes({ remove: ['hasOtp'], if: present }) },
    );
    if (failed === null) return null;
    return failed.includes(0) ? 'off' : 'changed';
  },
});

export const otps = (table: Table) => ({ ...otpReads(table), ...otpWrites(table) });
