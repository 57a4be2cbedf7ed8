import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Io } from './command.ts';

/** `isForced`: a file that is there may be replaced. */
type Place = { path: string; isForced: boolean };

const taken = (path: string): Error =>
  new Error(`${path} exists already, and is left as it is: name another file, or say --force`);

/** Throws where a file cannot be saved, before anything is done for it. */
export const demandFree = async ({ path, isForced }: Place): Promise<void> => {
  const found = await stat(path).catch(() => null);
  // To replace a device or a folder is no wish that anybody has.
  if (found && !found.isFile()) throw new Error(`${path} is no file`);
  if (found && !isForced) throw taken(path);
  const folder = await stat(dirname(path)).catch(() => null);
  if (!folder?.isDirectory()) throw new Error(`there is no folder ${dirname(path)}`);
};

/** Takes a name that nobody else has taken meanwhile. */
const reserve = async (path: string): Promise<void> => {
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? taken(path) : error;
  });
};

/** Saves what is at an address in a file that its owner alone may read, which is there as a whole or not at all. */
export const download = async (url: string, place: Place, { fetch: send = fetch, signal }: Io): Promise<void> => {
  const { path, isForced } = place;
  await demandFree(place);
  // The address alone opens the file: the token is not for who keeps it.
  const response = await send(new Request(url, { signal }));
  if (!response.ok || !response.body) throw new Error(`the file is not given (${response.status})`);
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`;
  // Opened before: a stream that breaks while it is opened would leave the file.
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
