const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

export const PAIRING_CODE_LIFETIME = 15 * 60_000;
/** ms for which a customer lets a linked sensor register without its token. */
export const REGISTRATION_WINDOW = 15 * 60_000;
/** Refused registrations that are told of in 15 minutes: of a sensor, and of all sensors of a customer. */
export const TOLD_REFUSALS = { sensor: 10, customer: 100, windowSeconds: 15 * 60 } as const;
export const WRONG_CODES = { limit: 5, windowSeconds: 15 * 60 } as const;

/** 8 characters that nobody confuses when reading them aloud; 32 letters, so each byte is fair. */
export const pairingCode = (random: Uint8Array): string =>
  [...random.subarray(0, 8)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** Codes are compared without regard to case. */
export const normalCode = (code: string): string => code.toUpperCase();
