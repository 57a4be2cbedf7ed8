import * as z from 'zod';

/** How many recovery codes a second factor has. */
const RECOVERY_CODES = 10;

/** A code of a login: what the authenticator app shows, or a recovery code. */
export const OtpCode = z.string().max(64);

/** What an authenticator app needs: the secret (base32), and the same as an `otpauth://` address for a QR code. */
export const OtpSecret = z.object({ secret: z.string(), uri: z.string() }).meta({ id: 'OtpSecret' });

/** The body of PUT /users/{userId}/otp. */
export const OtpProof = z.object({ otp: OtpCode }).meta({ id: 'OtpProof', examples: [{ otp: '123456' }] });

export const RecoveryCodes = z
  .object({ recoveryCodes: z.array(z.string()).length(RECOVERY_CODES) })
  .meta({ id: 'RecoveryCodes' });

/** The body of DELETE /users/{userId}/otp. Users who remove their own second factor must send their password. */
export const OtpRemoval = z
  .object({ password: z.string().max(4_096).optional() })
  .meta({ id: 'OtpRemoval', examples: [{ password: 'seven quiet rivers' }] });

const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 16;
/** How many random bytes recovery codes take. */
export const RECOVERY_BYTES = RECOVERY_CODES * CODE_LENGTH;

/** Makes recovery codes of 80 random bits each, in groups of four characters. */
export const recoveryCodes = (random: Uint8Array): string[] =>
  Array.from({ length: RECOVERY_CODES }, (_, at) =>
    [...random.subarray(at * CODE_LENGTH, (at + 1) * CODE_LENGTH)]
      .map((byte) => ALPHABET[byte % ALPHABET.length])
      .join('')
      .replaceAll(/.{4}(?=.)/g, '$&-'),
  );

/** Gives the form of a code that is compared: its case, and what groups its characters, do not matter. */
export const normalOtp = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase();

/** Is this, in its normal form, what an authenticator app shows? Everything else can only be a recovery code. */
export const isAppCode = (normal: string): boolean => /^[0-9]{6}$/.test(normal);
