import { type FileHandle, open } from 'node:fs/promises';

/**
 * Syncs what SQLite wrote to the disk, outside of the event loop. SQLite itself (`synchronous = FULL`) would block the
 * event loop at each commit; here commits continue, and one sync covers all that were made before it began. Syncing the
 * journal (WAL) is enough, because SQLite syncs the database before it resets the journal.
 * https://www.sqlite.org/wal.html
 */
export const createDurable = (journal: string) => {
  let file: FileHandle | undefined;
  let written = 0;
  let synced = 0;
  let running: Promise<void> | undefined;
  let failure: unknown;

  const sync = async (): Promise<void> => {
    const upTo = written;
    file ??= await open(journal, 'r+');
    await file.datasync();
    synced = upTo;
  };
  return {
    /** Records a commit. */
    note: (): void => {
      written += 1;
    },
    /** Resolves once all commits so far would survive a power cut. */
    kept: async (): Promise<void> => {
      const target = written;
      while (synced < target) {
        // Data that a failed sync did not write may be lost even if a later one succeeds.
        if (failure) throw failure;
        running ??= sync()
          .catch((error: unknown) => {
            failure = error;
          })
          .finally(() => {
            running = undefined;
          });
        await running;
      }
    },
    close: async (): Promise<void> => {
      await running;
      await file?.close();
    },
  };
};
export type Durable = ReturnType<typeof createDurable>;
