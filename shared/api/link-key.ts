import { LINK_KEY_CONTEXT } from '../domain/rule/acknowledgement.ts';
import type { Deps } from '../runtime/deps.ts';

type AddressKeyDeps = Deps<'addressKeys.get' | 'addressKeys.keep' | 'encrypt:secrets' | 'decrypt:secrets'>;

/** Returns the key that signs alarm acknowledgement links, creating it on the first delivery in a stage. */
export const getLinkKey = async ({
  store,
  encryptSecret,
  decryptSecret,
  random,
}: AddressKeyDeps): Promise<string | null> => {
  const { get, keep } = store.addressKeys;
  if ((await get()) === null)
    await keep(await encryptSecret(Buffer.from(random(32)).toString('base64url'), LINK_KEY_CONTEXT));
  const encrypted = await get();
  return encrypted && decryptSecret(encrypted, LINK_KEY_CONTEXT);
};
