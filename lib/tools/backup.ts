import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { dataFileOf } from '../local/table/storage.ts';
import { Refusal } from './refusal.ts';

/** What of a data folder is no database: the key of the secrets, and mails. */
const others = ['secrets.key', 'outbox'];

const copyDatabase = async (from: string, to: string): Promise<void> => {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to, { readOnly: true });
  const found = copy.prepare('PRAGMA quick_check').get()?.quick_check;
  copy.close();
  if (found !== 'ok') throw new Refusal(`The copy ${to} is damaged: ${found}. Is there room on the disk?`);
};

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

/**
 * Copies a data folder while the host runs, or while it does not: the table and the queues as they were at one moment.
 * What was accepted before the copy began is in it. Gives the number of bytes.
 */
export const backUp = async (dataDir: string, to: string): Promise<number> => {
  const file = dataFileOf(dataDir);
  if (!existsSync(file))
    throw new Refusal(`There is no data in the folder ${dataDir}: name that of your cloud (--data-dir, or DATA_DIR).`);
  if (!isEmpty(to)) throw new Refusal(`The folder ${to} is not empty: a backup needs one of its own.`);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  await copyDatabase(file, join(to, basename(file)));
  for (const name of others)
    if (existsSync(join(dataDir, name))) cpSync(join(dataDir, name), join(to, name), { recursive: true });
  return statSync(join(to, basename(file))).size;
};
