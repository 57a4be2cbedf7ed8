import { ADDRESS_KEY } from '../domain/rule/acknowledgement.ts';
import type { Deps } from '../runtime/deps.ts';

type AddressKeyDeps = Deps<'addressKeys.get' | 'addressKeys.keep' | 'seal:secrets' | 'open:secrets'>;

/** The key that signs addresses for acknowledging. The first delivery of a stage makes it; a process reads it once. */
export const addressKeyOf = async ({
  store,
  sealSecret,
  openSecret,
  random,
}: AddressKeyDeps): Promise<string | null> => {
  const { get, keep } = store.addressKeys;
  if ((await get()) === null) await keep(await sealSecret(Buffer.from(random(32)).toString('base64url'), ADDRESS_KEY));
  const sealed = await get();
  return sealed && openSecret(sealed, ADDRESS_KEY);
};
