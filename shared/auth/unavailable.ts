/**
 * A secret could not be encrypted or decrypted, because the key is unavailable or access to it was denied. Retry later.
 */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable';
}

/** The OpenID Connect identity provider does not respond. Retry later. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable';
}
