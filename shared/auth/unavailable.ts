/** A secret could not be sealed or opened, because the keys are away or refuse it: try again later. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable';
}
