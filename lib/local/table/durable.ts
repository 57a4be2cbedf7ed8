import { type FileHandle, open } from 'node:fs/promises';

/**
 * Hands what SQLite wrote to the disk, outside of the event loop. SQLite's own way (`synchronous = FULL`) waits for the
 * disk at each commit and blocks the loop meanwhile; here commits go on, and one call covers all that were made before it
 * began. The journal (WAL) is enough: SQLite itself makes the database durable before it begins the journal anew.
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
    /** Something was committed. */
    note: (): void => {
      written += 1;
    },
    /** Resolves when all that was committed until now would survive a power cut. */
    kept: async (): Promise<void> => {
      const mine = written;
      while (synced < mine) {
        // What a failed call left unwritten may be lost although a later one succeeds.
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
