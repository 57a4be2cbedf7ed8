import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kmsCipher } from '#shared/auth/kms.ts';
import { aesCipher, type Cipher } from '#shared/auth/vault.ts';
import type { CloudOptions } from '../cloud-options.ts';
import { clientConfig } from '../table/endpoint.ts';

/** The key to use at a KMS endpoint. */
export const KEY_ALIAS = 'alias/sensor-cloud';

const BYTES = 32;

/** Returns a file's bytes, or null if there is no file. An unreadable file is an error, not an absent file. */
const readIfPresent = (file: string): Promise<Uint8Array | null> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/**
 * Returns the key that encrypts secrets on this host, from a file that only the owner can read. Without a data folder,
 * returns a new key.
 */
export const secretsKey = async (dataDir: string, random: (bytes: number) => Uint8Array): Promise<Uint8Array> => {
  if (dataDir === ':memory:') return random(BYTES);
  const file = join(dataDir, 'secrets.key');
  const known = await readIfPresent(file);
  if (known?.length === BYTES) return known;
  if (known) throw new Error('the file secrets.key in the data folder is damaged; restore it from a backup');
  const key = random(BYTES);
  await mkdir(dataDir, { recursive: true });
  // The file is renamed into place so it is never left half-written. Without the complete key, all secrets are lost.
  await writeFile(`${file}.new`, key, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return key;
};

/**
 * Returns the cipher for secrets. It uses the key in the data folder, or a key at a KMS endpoint, which containers can
 * share.
 */
export const createHostCipher = async (
  { keyEndpoint, dataDir }: Pick<CloudOptions, 'keyEndpoint' | 'dataDir'>,
  random: (bytes: number) => Uint8Array,
): Promise<Cipher> =>
  keyEndpoint ? kmsCipher(clientConfig(keyEndpoint), KEY_ALIAS) : aesCipher(await secretsKey(dataDir, random), random);
