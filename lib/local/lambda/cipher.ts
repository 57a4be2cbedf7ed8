import { kmsCipher } from '#shared/auth/kms.ts';
import { type Cipher, cipherOf } from '#shared/auth/vault.ts';
import type { CloudOptions } from '../cloud-options.ts';
import { clientConfig } from '../table/endpoint.ts';
import { KEY_ALIAS, secretsKey } from './key-file.ts';

/** What seals secrets: the key in the data folder, or one at an endpoint, which functions in containers can ask as well. */
export const cipherHere = async (
  { keyEndpoint, dataDir }: Pick<CloudOptions, 'keyEndpoint' | 'dataDir'>,
  random: (bytes: number) => Uint8Array,
): Promise<Cipher> =>
  keyEndpoint ? kmsCipher(clientConfig(keyEndpoint), KEY_ALIAS) : cipherOf(await secretsKey(dataDir, random), random);
