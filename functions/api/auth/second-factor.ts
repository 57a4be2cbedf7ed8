import { stepOf } from '#shared/auth/otp.ts';
import { hashOf } from '#shared/auth/tokens.ts';
import { isAppCode, normalOtp } from '#shared/domain/identity/otp.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Account } from '#shared/store/identity/sessions.ts';

type Judging = Deps<'otps.get' | 'otps.useStep' | 'otps.useCode' | 'keep:otps'>;

/** The secret as it is sealed: with the key of the account, so that it is of no use in the item of another one. */
export const sealedText = (accountKey: string, secret: string): string => `${accountKey} ${secret}`;
/** Gives the secret of a sealed text; empty if it is that of another account. No code fits that. */
export const secretIn = (accountKey: string, text: string): string => {
  const [key, secret = ''] = text.split(' ');
  return key === accountKey ? secret : '';
};

/** Gives what is stored of a recovery code. */
export const recoveryHash = (accountKey: string, normal: string): string => hashOf(`${accountKey} ${normal}`);

/** `use` uses the code up; it is false if another login used it at the same time. */
export type Verdict = { is: 'missing' } | { is: 'wrong' } | { is: 'right'; use: () => Promise<boolean> };

const wrong: Verdict = { is: 'wrong' };

/** Judges the second factor of a login whose password was right. It uses nothing up. */
export const judgeOtp = async (
  accountKey: string,
  account: Account,
  given: string | null | undefined,
  { store: { otps }, openOtp, now }: Judging,
): Promise<Verdict> => {
  if (!account.hasOtp) return { is: 'right', use: async () => true };
  if (given === undefined || given === null || given === '') return { is: 'missing' };
  const otp = await otps.get(accountKey);
  if (!otp?.isOn) return wrong;
  const normal = normalOtp(given);
  if (!isAppCode(normal)) {
    const hash = recoveryHash(accountKey, normal);
    return otp.codes.includes(hash) ? { is: 'right', use: () => otps.useCode(accountKey, hash) } : wrong;
  }
  const secret = secretIn(accountKey, await openOtp(otp.sealed));
  const step = secret === '' ? null : await stepOf(secret, normal, now(), otp.lastStep);
  return step === null ? wrong : { is: 'right', use: () => otps.useStep(accountKey, otp, step) };
};
