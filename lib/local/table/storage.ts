import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { hasRoom } from '../no-space.ts';
import { QUEUES } from '../queue/queue-file.ts';
import { diskOf } from './durable.ts';
import { rowsOf, SCHEMA } from './rows.ts';
import { createTurns, keepingTurns } from './turns.ts';

/** Identifies the file: "SC01" in its header. https://www.sqlite.org/pragma.html#pragma_application_id */
const APPLICATION_ID = 0x53433031;
const IN_MEMORY = ':memory:';
/** How long (ms) a call waits while a tool writes to the file. */
const BUSY_MS = 2_000;

// Commits are synced to disk by turns.ts, which does not block the event loop. The journal is checkpointed when it
// reaches 16 MB, because by then most pages have been written many times. That blocks the event loop for 4 ms, and a
// start after a crash has to read the journal. Deleted data is overwritten where that takes no additional write.
// `scrub` does the rest.
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -32768;
  PRAGMA secure_delete = FAST;
`;

/** Returns the path to the file with the table and the queues in a data folder. */
export const dataFileOf = (folder: string): string => (folder === IN_MEMORY ? IN_MEMORY : join(folder, 'cloud.sqlite'));

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** Whether SQLite failed because another process has locked the file. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;

/**
 * Locks a file for this process. Throws an error for which `isBusy` is true if another process has locked it. The lock
 * is SQLite's own, on an empty database: it exists on every platform and ends with the process, even in a crash.
 * Returns a function that unlocks the file.
 */
const lockFile = (path: string): (() => void) => {
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

const numberOf = (database: DatabaseSync, query: string): number =>
  Number(Object.values(database.prepare(query).get() ?? {})[0]);

/**
 * Throws if a page in the file is damaged. SQLite itself would notice only when it reads the page, perhaps in the
 * middle of an alarm. Reading the whole file takes 0.5 s per GB if it is in the page cache.
 * https://www.sqlite.org/pragma.html#pragma_quick_check
 */
const checkPages = (database: DatabaseSync): void => {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw new Error(`it is damaged (${String(found).replaceAll('\n', ' ')})`);
};

/** How long (ms) after its start an erasure may still delete data. */
const MAX_ERASURE_MS = 3_600_000;
const MINUTE = 60_000;

/**
 * Rewrites the file if anything was erased since it was last rewritten, because free parts of pages may contain traces.
 * This blocks all calls, so it is done when a host starts and stops. It takes about a second per 200 MB.
 * https://www.sqlite.org/lang_vacuum.html
 */
const scrub = (database: DatabaseSync, now: number): void => {
  const newest = database.prepare('SELECT max(sk) AS id FROM items WHERE pk = ?').get(items.erasure.pk({}))?.id;
  if (typeof newest !== 'string') return;
  const scrubbed = Number(database.prepare('PRAGMA user_version').get()?.user_version) * MINUTE;
  if (timeOfUlid(newest) + MAX_ERASURE_MS < scrubbed) return;
  // The file version is the minute (since 1970) in which it was last rewritten.
  database.exec(`PRAGMA user_version = ${Math.floor(now / MINUTE)}; VACUUM;`);
};

/** Prepares the file, and creates the SQL tables if it is new. Throws if the file belongs to another program. */
const prepare = (database: DatabaseSync): void => {
  const isNew = numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (!isNew && numberOf(database, 'PRAGMA application_id') !== APPLICATION_ID)
    throw new Error('it belongs to another program');
  database.exec(PRAGMAS);
  if (!isNew) {
    checkPages(database);
    // After a failed sync, the journal may have a gap on disk. After a power loss, nothing beyond the gap could be
    // restored.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    scrub(database, Date.now());
    return;
  }
  // If this fails, the file stays empty.
  database.exec(`BEGIN; ${SCHEMA} ${QUEUES} PRAGMA application_id = ${APPLICATION_ID}; COMMIT;`);
};

const explain = (path: string, error: unknown): Error => {
  const message = error instanceof Error ? error.message : String(error);
  const why = isBusy(error) ? 'another process has it open' : message;
  const isDamaged = /malformed|not a database|it is damaged/.test(why);
  const remedy = isDamaged ? '; replace the data folder with a backup (see lib/local/README.md)' : '';
  return new Error(`cannot open ${path}: ${why}${remedy}`, { cause: error });
};

const open = (path: string): { database: DatabaseSync; unlock: () => void } => {
  let database: DatabaseSync | undefined;
  let unlock = () => {};
  try {
    if (path !== IN_MEMORY) {
      mkdirSync(dirname(path), { recursive: true });
      // Only one host may use the file at a time. Tools may use it alongside the host.
      unlock = lockFile(`${path}.lock`);
      // Only the owner may read the file, because it contains alarms about people. SQLite creates its other files with
      // the same mode.
      closeSync(openSync(path, 'a', 0o600));
    }
    database = new DatabaseSync(path, { timeout: BUSY_MS });
    prepare(database);
    return { database, unlock };
  } catch (error) {
    if (database?.isOpen) database.close();
    unlock();
    throw explain(path, error);
  }
};

type StorageOptions = {
  /** Whether callers fail if they change data they read. For tests. */
  freezes?: boolean | undefined;
  onLost?: (error: Error) => void;
  /** Whether a folder's disk has space for a transaction. */
  hasSpace?: (folder: string) => boolean;
};

/**
 * Opens a host's data, in a folder or in memory. Throws an error that names the file if it cannot be read, is damaged,
 * belongs to another program, or is used by another host. `onLost` is called if changes could not be stored although
 * calls had already settled. The process then has to be restarted.
 */
export const openStorage = (dataDir: string, { onLost, hasSpace = hasRoom, freezes }: StorageOptions = {}) => {
  const path = dataFileOf(dataDir);
  const { database, unlock } = open(path);
  const disk = path === IN_MEMORY ? null : diskOf(`${path}-wal`);
  const rows = rowsOf(database, { freezes });
  const turns = createTurns(database, {
    disk,
    ...(disk && { hasRoom: () => hasSpace(dataDir), onForeignChange: rows.forget }),
    ...(onLost && { onLost }),
  });
  return {
    database,
    rows,
    turns,
    /** Stores all changes and closes the file. */
    close: async (): Promise<void> => {
      if (!database.isOpen) return;
      // If changes could not be stored, nothing that depends on them has left the process.
      await turns.kept().catch(() => {});
      await disk?.close();
      scrub(database, Date.now());
      database.close();
      unlock();
    },
  };
};

/** Opens the table in a data folder for a tool. A host may be using it at the same time. */
export const openForTool = (dataDir: string) => {
  const database = new DatabaseSync(dataFileOf(dataDir), { timeout: BUSY_MS });
  database.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST');
  const rows = rowsOf(database);
  const turns = keepingTurns(createTurns(database, { onForeignChange: rows.forget }));
  return { rows, turns, close: () => database.close() };
};
export type Storage = ReturnType<typeof openStorage>;
