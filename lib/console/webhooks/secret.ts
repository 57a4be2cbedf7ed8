const PREFIX = 'whsec_';
const BYTES = 32;

/** Generates a secret of 256 random bits in the format of Standard Webhooks. */
export const generateSecret = (): string =>
  PREFIX + btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))));
