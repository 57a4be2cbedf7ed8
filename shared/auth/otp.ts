import { isAppCode } from '../domain/identity/otp.ts';

/** Few requests need the library, so the first one that does loads it. https://otplib.yeojz.dev */
const library = () => import('otplib/functional');

/** How far off the app's clock may be. The previous and next codes are accepted too. */
const TOLERANCE_SECONDS = 30;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns a 160-bit secret in base32 from 20 random bytes. RFC 4226, section 4, R6; RFC 4648, section 6. */
export const newOtpSecret = (random: Uint8Array): string => {
  const bits = [...random].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => ALPHABET[Number.parseInt(five, 2)] ?? '');
};

/** Returns the URI in the QR code for an authenticator app. */
export const otpUri = async (issuer: string, label: string, secret: string): Promise<string> =>
  (await library()).generateURI({ issuer, label, secret });

/**
 * Returns the 30 s time step (since the Unix epoch) to which the code belongs. Null if the code is not valid around
 * `now` (ms), or if its step is not after `lastStep`, the last step used. RFC 6238, section 5.2.
 */
export const timeStepOf = async (
  secret: string,
  token: string,
  now: number,
  lastStep: number,
): Promise<number | null> => {
  // The library throws for anything but a code.
  if (!isAppCode(token)) return null;
  const { verify } = await library();
  const epoch = Math.floor(now / 1_000);
  const found = await verify({ secret, token, epoch, epochTolerance: TOLERANCE_SECONDS });
  const step = found.valid ? Math.floor(epoch / 30) + found.delta : 0;
  return step > lastStep ? step : null;
};
