import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kmsCipher } from '#shared/auth/kms.ts';
import { type Cipher, cipherOf } from '#shared/auth/vault.ts';
import type { CloudOptions } from '../cloud-options.ts';
import { clientConfig } from '../table/endpoint.ts';

/** The key at an endpoint like KMS. */
export const KEY_ALIAS = 'alias/sensor-cloud';

const BYTES = 32;

/**
 * Gives the key with which this host encrypts secrets, from a file that only its user can read. Without a data folder
 * it is a new key.
 */
export const secretsKey = async (dataDir: string, random: (bytes: number) => Uint8Array): Promise<Uint8Array> => {
  if (dataDir === ':memory:') return random(BYTES);
  const file = join(dataDir, 'secrets.key');
  const known = await readFile(file).catch(() => null);
  if (known?.length === BYTES) return known;
  if (known) throw new Error('the file secrets.key in the data folder is damaged');
  const key = random(BYTES);
  await mkdir(dataDir, { recursive: true });
  // The file is renamed into place, so that it is never half written: without the whole key all secrets would be
  // lost.
  await writeFile(`${file}.new`, key, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return key;
};

/** What seals secrets: the key in the data folder, or one at an endpoint, which functions in containers can ask as well. */
export const cipherHere = async (
  { keyEndpoint, dataDir }: Pick<CloudOptions, 'keyEndpoint' | 'dataDir'>,
  random: (bytes: number) => Uint8Array,
): Promise<Cipher> =>
  keyEndpoint ? kmsCipher(clientConfig(keyEndpoint), KEY_ALIAS) : cipherOf(await secretsKey(dataDir, random), random);
