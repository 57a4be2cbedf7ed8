import * as z from 'zod';

/** How many recovery codes come with a second factor. */
const RECOVERY_CODES = 10;

/** The second factor at login: a code from the authenticator app, or a recovery code. */
export const OtpCode = z.string().max(64);

/** The secret for an authenticator app, in base32 and as an `otpauth://` URI for a QR code. */
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
/** How many random bytes it takes to generate the recovery codes. */
export const RECOVERY_BYTES = RECOVERY_CODES * CODE_LENGTH;

/** Returns recovery codes in groups of four characters. Each code has 80 random bits. */
export const recoveryCodes = (random: Uint8Array): string[] =>
  Array.from({ length: RECOVERY_CODES }, (_, index) =>
    [...random.subarray(index * CODE_LENGTH, (index + 1) * CODE_LENGTH)]
      .map((byte) => ALPHABET[byte % ALPHABET.length])
      .join('')
      .replaceAll(/.{4}(?=.)/g, '$&-'),
  );

/** Returns a code in upper case without separators, for comparison. */
export const normalizedOtp = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase();

/** Whether a normalized code comes from an authenticator app. Anything else can only be a recovery code. */
export const isAppCode = (normal: string): boolean => /^[0-9]{6}$/.test(normal);
