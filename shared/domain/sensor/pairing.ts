const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

export const PAIRING_CODE_LIFETIME = 15 * 60_000;
/** How long (ms) a customer lets a linked sensor register without its token. */
export const REGISTRATION_WINDOW = 15 * 60_000;
/** The number of refused registrations reported in 15 minutes, of one sensor and of all sensors of a customer. */
export const REPORTED_REFUSALS = { sensor: 10, customer: 100, windowSeconds: 15 * 60 } as const;
export const WRONG_CODES = { limit: 5, windowSeconds: 15 * 60 } as const;

/**
 * Returns a code of 8 characters that are not confused when read aloud. There are 32 of them, so each is equally likely.
 */
export const pairingCode = (random: Uint8Array): string =>
  [...random.subarray(0, 8)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** Removes the spaces with which people group the characters of a code. */
export const withoutSpaces = (code: string): string => code.replaceAll(/\s/g, '');

/** Returns a code in upper case for comparison, because its case does not matter. */
export const normalizedCode = (code: string): string => code.toUpperCase();
