import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { QUEUES } from '../queue/queue-file.ts';
import { createDurable } from './durable.ts';
import { rowsOf, SCHEMA } from './rows.ts';
import { createTurns } from './turns.ts';

/** Identifies the file: "SC01" in its header. https://www.sqlite.org/pragma.html#pragma_application_id */
const APPLICATION_ID = 0x53433031;
const IN_MEMORY = ':memory:';
/** How long (ms) a call waits while a tool writes to the same file. */
const BUSY_MS = 2_000;

// What is committed is handed to the disk by durable.ts, which does not hold up the event loop. Pages are copied from the
// journal into the database when it has 16 MB: most of them were written many times until then. It holds up the loop for
// 4 ms, and a start after a crash reads the journal. What is deleted is overwritten where that takes no
// further write; `scrub` does the rest.
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA cache_size = -32768;
  PRAGMA secure_delete = FAST;
`;

/** The file of the table and the queues in a data folder. */
export const dataFileOf = (folder: string): string => (folder === IN_MEMORY ? IN_MEMORY : join(folder, 'cloud.sqlite'));

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** Did SQLite refuse something because another process has the file? */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;

/**
 * Locks a file for this process: an error for which `isBusy` is true means that another one has it. The lock is SQLite's
 * own on an empty database, which exists on every platform and ends with the process, however that ends. Gives a
 * function that frees it.
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
 * Throws when a page of the file is damaged. SQLite itself notices that when it comes to the page, which may be amid an
 * alarm. It reads the whole file: 0.5 s for each GB that is in memory.
 * https://www.sqlite.org/pragma.html#pragma_quick_check
 */
const checkPages = (database: DatabaseSync): void => {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw new Error(`it is damaged (${String(found).replaceAll('\n', ' ')})`);
};

/** So long (ms) after its beginning an erasure may still remove something. */
const LONGEST = 3_600_000;
const MINUTE = 60_000;

/**
 * Writes a file anew if something was erased from it since it was written anew last: in the free parts of its pages there
 * may be traces. Nobody is served meanwhile, so it is done when a host starts and when it stops; it takes about a second
 * for each 200 MB.
 * https://www.sqlite.org/lang_vacuum.html
 */
const scrub = (database: DatabaseSync, now: number): void => {
  const newest = database.prepare('SELECT max(sk) AS id FROM items WHERE pk = ?').get(items.erasure.pk({}))?.id;
  if (typeof newest !== 'string') return;
  const scrubbed = Number(database.prepare('PRAGMA user_version').get()?.user_version) * MINUTE;
  if (timeOfUlid(newest) + LONGEST < scrubbed) return;
  // The version of the file is the minute (since 1970) of its last writing.
  database.exec(`PRAGMA user_version = ${Math.floor(now / MINUTE)}; VACUUM;`);
};

/** Prepares a file of this module, and makes what is in a new one. A file of another program is left as it is. */
const prepare = (database: DatabaseSync): void => {
  const isNew = numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (!isNew && numberOf(database, 'PRAGMA application_id') !== APPLICATION_ID)
    throw new Error('it belongs to another program');
  database.exec(PRAGMAS);
  if (!isNew) {
    checkPages(database);
    scrub(database, Date.now());
    return;
  }
  // What fails leaves the file empty.
  database.exec(`BEGIN; ${SCHEMA} ${QUEUES} PRAGMA application_id = ${APPLICATION_ID}; COMMIT;`);
};

const explain = (path: string, error: unknown): Error => {
  const message = error instanceof Error ? error.message : String(error);
  const why = isBusy(error) ? 'another process has it open' : message;
  const isDamaged = /malformed|not a database|it is damaged/.test(why);
  const remedy = isDamaged ? '; put a copy of the folder in its place that npm run backup has made' : '';
  return new Error(`the data cannot be kept in ${path}: ${why}${remedy}`, { cause: error });
};

const open = (path: string): { database: DatabaseSync; unlock: () => void } => {
  let database: DatabaseSync | undefined;
  let unlock = () => {};
  try {
    if (path !== IN_MEMORY) {
      mkdirSync(dirname(path), { recursive: true });
      // Only one host works on the file at a time. Tools may use it meanwhile.
      unlock = lockFile(`${path}.lock`);
      // Only the owner may read the file, because alarms about people are in it. SQLite gives its other files the same rights.
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

/**
 * Opens the data of a host, in a folder or in memory. Throws an error that names the file when it cannot be read, is
 * damaged, belongs to another program, or is used by another host.
 */
export const openStorage = (dataDir: string) => {
  const path = dataFileOf(dataDir);
  const { database, unlock } = open(path);
  const durable = path === IN_MEMORY ? null : createDurable(`${path}-wal`);
  const turns = createTurns(database, durable);
  return {
    database,
    rows: rowsOf(database),
    turns,
    /** Ends the current turn and closes the file. */
    close: async (): Promise<void> => {
      if (!database.isOpen) return;
      // A turn that is not kept has said so to its callers.
      await turns.read(() => {}).catch(() => {});
      await durable?.close();
      scrub(database, Date.now());
      database.close();
      unlock();
    },
  };
};

/** Opens the table in a data folder beside the host that may be using it: for tools. */
export const openBesideHost = (dataDir: string) => {
  const database = new DatabaseSync(dataFileOf(dataDir), { timeout: BUSY_MS });
  database.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST');
  const turns = createTurns(database, null);
  return { rows: rowsOf(database), turns, close: () => database.close() };
};
export type Storage = ReturnType<typeof openStorage>;
