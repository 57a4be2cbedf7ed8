import { ADDRESS_KEY } from '../domain/rule/acknowledgement.ts';
import type { Deps } from '../runtime/deps.ts';

type AddressKeyDeps = Deps<'addressKeys.get' | 'addressKeys.keep' | 'seal:secrets' | 'open:secrets'>;

/** Returns the key that signs links for acknowledging an alarm, and creates it on the first delivery of a stage. */
export const addressKeyOf = async ({
  store,
  sealSecret,
  openSecret,
  random,
}: AddressKeyDeps): Promise<string | null> => {
  const { get, keep } = store.addressKeys;
  if ((await get()) === null) await keep(await sealSecret(Buffer.from(random(32)).toString('base64url'), ADDRESS_KEY));
  const encrypted = await get();
  return encrypted && openSecret(encrypted, ADDRESS_KEY);
};
