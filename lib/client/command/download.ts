import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommandIo } from './command.ts';

/** Where to save a file. With `isForced`, an existing file is replaced. */
type Destination = { path: string; isForced: boolean };

const alreadyExists = (path: string): Error =>
  new Error(`${path} already exists: choose another file, or pass --force`);

/** Throws if a file cannot be saved at the destination. Call this before starting any work for the file. */
export const ensureWritable = async ({ path, isForced }: Destination): Promise<void> => {
  const found = await stat(path).catch(() => null);
  // Devices and folders are never replaced.
  if (found && !found.isFile()) throw new Error(`${path} is not a file`);
  if (found && !isForced) throw alreadyExists(path);
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory()) throw new Error(`the folder ${dirname(path)} does not exist`);
};

/** Creates the file, unless another process already has. */
const reserve = async (path: string): Promise<void> => {
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? alreadyExists(path) : error;
  });
};

/** Downloads to a file only the owner can read. The file is either complete or missing. */
export const download = async (
  url: string,
  destination: Destination,
  { fetch: send = fetch, signal }: CommandIo,
): Promise<void> => {
  const { path, isForced } = destination;
  await ensureWritable(destination);
  // The URL is signed. The token must not be sent to the storage service.
  const response = await send(new Request(url, { signal }));
  if (!response.ok || !response.body) throw new Error(`could not download the file (${response.status})`);
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`;
  // A write stream that fails while opening the file would leave the file behind, so it is opened first.
  const file = await open(draft, 'wx', 0o600);
  try {
    await pipeline(response.body, file.createWriteStream(), { signal });
    if (!isForced) await reserve(path);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
