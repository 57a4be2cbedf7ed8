import { DatabaseSync } from 'node:sqlite';

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** Did SQLite refuse something because another process has the file? */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;

/**
 * Locks a file for this process: an error for which `isBusy` is true means that another one has it. The lock is SQLite's
 * own on an empty database, which exists on every platform and ends with the process, however that ends. Gives a
 * function that frees it.
 */
export const lockFile = (path: string): (() => void) => {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  return () => {
    if (database.isOpen) database.close();
  };
};
