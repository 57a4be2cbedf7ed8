import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const BYTES = 32;

/** The key that this host keeps secrets with: a file that only its user can read; a new one when nothing is kept. */
export const secretsKey = async (dataDir: string, random: (bytes: number) => Uint8Array): Promise<Uint8Array> => {
  if (dataDir === ':memory:') return random(BYTES);
  const file = join(dataDir, 'secrets.key');
  const known = await readFile(file).catch(() => null);
  if (known?.length === BYTES) return known;
  if (known) throw new Error('the file secrets.key in the data folder is damaged');
  const key = random(BYTES);
  await mkdir(dataDir, { recursive: true });
  // Whole or not at all: half a key would lose what it is to keep.
  await writeFile(`${file}.new`, key, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return key;
};
