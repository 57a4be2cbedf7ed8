import { timeStepOf } from '#shared/auth/otp.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { isAppCode, normalizedOtp } from '#shared/domain/identity/otp.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Account } from '#shared/store/identity/sessions.ts';

type CheckDeps = Deps<'otps.get' | 'otps.useStep' | 'otps.useCode' | 'keep:otps'>;

/** Returns the plaintext to encrypt. The account key is included, so no other account can use it. */
export const boundSecret = (accountKey: string, secret: string): string => `${accountKey} ${secret}`;
/**
 * Returns the secret from decrypted text. If the text belongs to another account, returns an empty secret, which no
 * code matches.
 */
export const secretFrom = (accountKey: string, text: string): string => {
  const [key, secret = ''] = text.split(' ');
  return key === accountKey ? secret : '';
};

/** Returns the stored recovery code hash. */
export const recoveryHash = (accountKey: string, normalCode: string): string =>
  hashSecret(`${accountKey} ${normalCode}`);

/** `use` invalidates the code. It returns false if a concurrent login used the code first. */
export type OtpCheck = { is: 'missing' } | { is: 'wrong' } | { is: 'right'; use: () => Promise<boolean> };

const wrong: OtpCheck = { is: 'wrong' };

/** Checks the second factor at login, after a correct password. Does not use up the code. */
export const checkOtp = async (
  accountKey: string,
  account: Account,
  code: string | null | undefined,
  { store: { otps }, decryptOtp, now }: CheckDeps,
): Promise<OtpCheck> => {
  if (!account.hasOtp) return { is: 'right', use: async () => true };
  if (code === undefined || code === null || code === '') return { is: 'missing' };
  const otp = await otps.get(accountKey);
  if (!otp?.isOn) return wrong;
  const normal = normalizedOtp(code);
  if (!isAppCode(normal)) {
    const hash = recoveryHash(accountKey, normal);
    return otp.codes.includes(hash) ? { is: 'right', use: () => otps.useCode(accountKey, hash) } : wrong;
  }
  const secret = secretFrom(accountKey, await decryptOtp(otp.sealed));
  const step = secret === '' ? null : await timeStepOf(secret, normal, now(), otp.lastStep);
  return step === null ? wrong : { is: 'right', use: () => otps.useStep(accountKey, otp, step) };
};
