import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Journal, Row } from './journal.ts';

/** Tells our files from others: "SCQ1" in the header. https://www.sqlite.org/pragma.html#pragma_application_id */
const APPLICATION_ID = 0x53435131;
/** So many sequence numbers are set aside at a time: of a number that is given out, nothing has to be written. */
const NUMBERS_AT_A_TIME = 10_000;
const SQLITE_BUSY = 5;

const TABLES = `
  CREATE TABLE messages (
    sequence INTEGER PRIMARY KEY, queue TEXT NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL,
    group_id TEXT, deduplication_id TEXT, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL
  );
  CREATE TABLE numbers (last INTEGER NOT NULL);
  INSERT INTO numbers VALUES (0);
  PRAGMA application_id = ${APPLICATION_ID};
`;
// A commit is in the hands of the operating system: it survives the end of the process, though perhaps not a power cut.
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA journal_size_limit = 67108864;
`;
const ROWS = `
  SELECT sequence, message_id AS messageId, body, group_id AS groupId, deduplication_id AS deduplicationId,
    sent_at AS sentAt, visible_at AS visibleAt
  FROM messages WHERE queue = ? ORDER BY sequence
`;

const numberOf = (database: DatabaseSync, query: string): number =>
  Number(Object.values(database.prepare(query).get() ?? {})[0]);

/** Runs all of it in one transaction. */
const inOne = (database: DatabaseSync, run: () => void): void => {
  database.exec('BEGIN IMMEDIATE');
  try {
    run();
    database.exec('COMMIT');
  } catch (error) {
    // SQLite may have ended the transaction by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
};

/** A file that is ours and nobody else's is made ready, a new one gets its tables; any other is left as it is. */
const prepare = (database: DatabaseSync): void => {
  // One process has the file at a time, which also spares the memory that several would share.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const isNew = numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (!isNew && numberOf(database, 'PRAGMA application_id') !== APPLICATION_ID)
    throw new Error('it is not a file of queues');
  database.exec(PRAGMAS);
  if (isNew) inOne(database, () => database.exec(TABLES));
};

const explain = (path: string, error: unknown): Error => {
  const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
  const why = isBusy ? 'another process has it open' : error instanceof Error ? error.message : String(error);
  return new Error(`the queues cannot be kept in ${path}: ${why}`, { cause: error });
};

const openDatabase = (path: string): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    // What people are warned of is for nobody else on this machine; SQLite gives its other files the same rights.
    closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path);
    prepare(database);
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    throw explain(path, error);
  }
};

/** Gives numbers that were given to nobody before, in this process or an earlier one. */
const createNumbers = (database: DatabaseSync): (() => number) => {
  const reserve = database.prepare('UPDATE numbers SET last = ?');
  let last = numberOf(database, 'SELECT last FROM numbers');
  let reserved = last;
  return () => {
    if (last === reserved) {
      reserve.run(reserved + NUMBERS_AT_A_TIME);
      reserved += NUMBERS_AT_A_TIME;
    }
    return ++last;
  };
};

/** Removals of one turn of the event loop are one transaction. What could not be removed is tried with the next. */
const createRemovals = (database: DatabaseSync) => {
  const remove = database.prepare('DELETE FROM messages WHERE sequence = ?');
  const waiting = new Set<number>();
  let isPlanned = false;
  const flush = (): void => {
    if (waiting.size === 0) return;
    inOne(database, () => {
      for (const sequence of waiting) remove.run(sequence);
    });
    waiting.clear();
  };
  const tryFlush = (): void => {
    isPlanned = false;
    try {
      flush();
    } catch {
      // They go on waiting; closing says so when it can't remove them either.
    }
  };
  return {
    now: (sequence: number): void => void remove.run(sequence),
    soon: (sequence: number): void => {
      waiting.add(sequence);
      if (!isPlanned) setImmediate(tryFlush);
      isPlanned = true;
    },
    flush,
  };
};

/**
 * Keeps queues in one SQLite file. Throws a sentence that names the file when it can't be read, is another program's, or
 * is open in another process.
 */
export const openQueueFile = (path: string) => {
  const database = openDatabase(path);
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const nextSequence = createNumbers(database);
  const removals = createRemovals(database);
  const load = (queue: string): Row[] => {
    try {
      return database
        .prepare(ROWS)
        .all(queue)
        .map(
          (row) =>
            ({ ...row, groupId: row.groupId ?? undefined, deduplicationId: row.deduplicationId ?? undefined }) as Row,
        );
    } catch (error) {
      throw explain(path, error);
    }
  };
  return {
    /** Of one queue, by its name. */
    journalOf: (queue: string): Journal => ({
      load: () => load(queue),
      nextSequence,
      add: ({ sequence, messageId, body, groupId = null, deduplicationId = null, sentAt, visibleAt }) =>
        void insert.run(sequence, queue, messageId, body, groupId, deduplicationId, sentAt, visibleAt),
      remove: (sequence) => (database.isTransaction ? removals.now(sequence) : removals.soon(sequence)),
      clear: () => void database.prepare('DELETE FROM messages WHERE queue = ?').run(queue),
      together: (run) => (database.isTransaction ? run() : inOne(database, run)),
    }),
    /** Writes what is to be written; the queues can't be used any more. */
    close: (): void => {
      if (!database.isOpen) return;
      try {
        removals.flush();
      } finally {
        database.close();
      }
    },
  };
};
