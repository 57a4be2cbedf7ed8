import { type FileHandle, open } from 'node:fs/promises';

/** Writes committed data to the disk. */
export type Disk = { sync: () => Promise<void>; close: () => Promise<void> };

/**
 * Syncs SQLite's writes to disk outside the event loop. SQLite itself (`synchronous = FULL`) would block the event loop
 * at each commit. Syncing the journal (WAL) is enough, because SQLite syncs the database before it resets the journal.
 * https://www.sqlite.org/wal.html
 */
export const diskOf = (journal: string): Disk => {
  let file: FileHandle | undefined;
  return {
    sync: async () => {
      file ??= await open(journal, 'r+');
      await file.datasync();
    },
    close: async () => file?.close(),
  };
};
