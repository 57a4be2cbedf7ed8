const PREFIX = 'whsec_';
const BYTES = 32;

/** Creates a secret in the format of Standard Webhooks, with 256 random bits. */
export const drawSecret = (): string =>
  PREFIX + btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))));
