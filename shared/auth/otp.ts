import { isAppCode } from '../domain/identity/otp.ts';

/** Few calls need the library, so it is loaded with the first one. https://otplib.yeojz.dev */
const library = () => import('otplib/functional');

/** How far (s) the clock of an app may be away from ours: one code before and one after the current one. */
const TOLERANCE = 30;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Makes a secret of 160 bits in base32 of 20 random bytes. RFC 4226, section 4, R6; RFC 4648, section 6. */
export const otpSecret = (random: Uint8Array): string => {
  const bits = [...random].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => ALPHABET[Number.parseInt(five, 2)] ?? '');
};

/** Gives the address that an authenticator app reads from a QR code. */
export const otpUri = async (issuer: string, label: string, secret: string): Promise<string> =>
  (await library()).generateURI({ issuer, label, secret });

/**
 * Finds the time step (30 s since the Unix epoch) whose code this is; null: that of none around `now` (ms), or only of
 * one up to `lastStep`, whose code was used already. RFC 6238, section 5.2.
 */
export const stepOf = async (secret: string, token: string, now: number, lastStep: number): Promise<number | null> => {
  // The library throws for everything else.
  if (!isAppCode(token)) return null;
  const { verify } = await library();
  const epoch = Math.floor(now / 1_000);
  const found = await verify({ secret, token, epoch, epochTolerance: TOLERANCE });
  const step = found.valid ? Math.floor(epoch / 30) + found.delta : 0;
  return step > lastStep ? step : null;
};
