const PREFIX = 'whsec_';
const BYTES = 32;

/** A secret as the Standard Webhooks have it: 256 random bits. */
export const drawSecret = (): string =>
  PREFIX + btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))));
