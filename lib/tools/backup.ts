import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { dataFileOf } from '../local/table/storage.ts';
import { UserError } from './user-error.ts';

/** The entries in a data folder besides the database: the key for secrets, and email. */
const otherEntries = ['secrets.key', 'outbox'];

const copyDatabase = async (from: string, to: string): Promise<void> => {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to, { readOnly: true });
  const result = copy.prepare('PRAGMA quick_check').get()?.quick_check;
  copy.close();
  if (result !== 'ok') throw new UserError(`The copy ${to} is damaged: ${result}. Is the disk full?`);
};

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

/**
 * Copies a data folder, whether or not the host is running. The copy is a consistent snapshot of the table and the
 * queues, and contains everything accepted before it began. Returns the database size in bytes.
 */
export const backUp = async (dataDir: string, to: string): Promise<number> => {
  const file = dataFileOf(dataDir);
  if (!existsSync(file))
    throw new UserError(
      `The folder ${dataDir} contains no data: set the data folder of your host (--data-dir, or DATA_DIR).`,
    );
  if (!isEmpty(to)) throw new UserError(`The folder ${to} is not empty: a backup needs an empty folder.`);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  await copyDatabase(file, join(to, basename(file)));
  for (const name of otherEntries)
    if (existsSync(join(dataDir, name))) cpSync(join(dataDir, name), join(to, name), { recursive: true });
  return statSync(join(to, basename(file))).size;
};
