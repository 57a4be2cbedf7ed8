/** A secret could not be sealed or opened, because the keys are away or refuse it: try again later. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable';
}

/** The issuer of OpenID Connect does not answer: try again later. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable';
}
