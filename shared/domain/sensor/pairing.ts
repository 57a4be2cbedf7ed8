const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

export const PAIRING_CODE_LIFETIME = 15 * 60_000;
/** How long (ms) a linked sensor may register without its token once the customer has allowed it. */
export const REGISTRATION_WINDOW = 15 * 60_000;
/**
 * The maximum number of refused registrations reported per 15 minutes, for one sensor and for all of a customer's
 * sensors.
 */
export const REPORTED_REFUSALS = { sensor: 10, customer: 100, windowSeconds: 15 * 60 } as const;
export const WRONG_CODES = { limit: 5, windowSeconds: 15 * 60 } as const;

/**
 * Returns an 8-character code. None of the 32 characters in the alphabet can be mistaken for another when read aloud,
 * and each is equally likely.
 */
export const pairingCode = (random: Uint8Array): string =>
  [...random.subarray(0, 8)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** Removes the spaces people type to group the characters in a code. */
export const withoutSpaces = (code: string): string => code.replaceAll(/\s/g, '');

/** Returns a code in upper case for comparison, because case does not matter. */
export const normalizedCode = (code: string): string => code.toUpperCase();
