import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, lockFile } from '../file-lock.ts';
import { QUEUES } from '../queue/queue-file.ts';
import { createDurable } from './durable.ts';
import { rowsOf, SCHEMA } from './rows.ts';
import { scrub } from './scrub.ts';
import { createTurns } from './turns.ts';

/** Identifies the file: "SC01" in its header. https://www.sqlite.org/pragma.html#pragma_application_id */
const APPLICATION_ID = 0x53433031;
const IN_MEMORY = ':memory:';
/** How long (ms) a call waits while a tool writes to the same file. */
const BUSY_MS = 2_000;

// What is committed is handed to the disk by durable.ts, which does not hold up the event loop. Pages are copied from the
// journal into the database when it has 16 MB: most of them were written many times until then. It holds up the loop for
// 4 ms, and a start after a crash reads the journal. What is deleted is overwritten where that takes no
// further write; scrub.ts does the rest.
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
  const why = isBusy(error) ? 'another process has it open' : error instanceof Error ? error.message : String(error);
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
