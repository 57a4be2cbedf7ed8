const PREFIX = 'whsec_';
const BYTES = 32;

/** Generates a secret with 256 random bits in the Standard Webhooks format. */
export const generateSecret = (): string =>
  PREFIX + btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))));
