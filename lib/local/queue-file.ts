import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, lockFile } from './file-lock.ts';
import type { Journal, Row } from './journal.ts';

/**
 * Identifies the files of this module: "SCQ1" in the header. https://www.sqlite.org/pragma.html#pragma_application_id
 */
const APPLICATION_ID = 0x53435131;
/** Sequence numbers are reserved in blocks of this size, so that giving out a single number needs no write. */
const NUMBERS_AT_A_TIME = 10_000;

const TABLES = `
  CREATE TABLE messages (
    sequence INTEGER PRIMARY KEY, queue TEXT NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL,
    group_id TEXT, deduplication_id TEXT, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL
  );
  CREATE TABLE numbers (last INTEGER NOT NULL);
  INSERT INTO numbers VALUES (0);
  PRAGMA application_id = ${APPLICATION_ID};
`;
// A commit is handed to the operating system: it survives the end of the process, but perhaps not a power failure.
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

/** Runs a function in one transaction. */
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

/** Prepares a file of this module, and creates the tables in a new one. A file of another program is left unchanged. */
const prepare = (database: DatabaseSync): void => {
  const isNew = numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (!isNew && numberOf(database, 'PRAGMA application_id') !== APPLICATION_ID)
    throw new Error('it is not a file of queues');
  database.exec(PRAGMAS);
  if (isNew) inOne(database, () => database.exec(TABLES));
};

const explain = (path: string, error: unknown): Error => {
  const why = isBusy(error) ? 'another process has it open' : error instanceof Error ? error.message : String(error);
  return new Error(`the queues cannot be kept in ${path}: ${why}`, { cause: error });
};

const openDatabase = (path: string): { database: DatabaseSync; unlock: () => void } => {
  let database: DatabaseSync | undefined;
  let unlock = () => {};
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Only one process works on the file at a time. Others may read it, as a backup does.
    unlock = lockFile(`${path}.lock`);
    // Only the owner may read the file, because alarms about people are in it. SQLite gives its other files the same
    // rights.
    closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path);
    prepare(database);
    return { database, unlock };
  } catch (error) {
    if (database?.isOpen) database.close();
    unlock();
    throw explain(path, error);
  }
};

/** Creates a function that gives numbers which were never given before, in this process or an earlier one. */
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

/**
 * Combines the removals of one turn of the event loop in one transaction. Failed removals are repeated with the next
 * one.
 */
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
      // The removals stay in the set; `close` throws when it can't remove them either.
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
 * Opens a SQLite file with queues. Throws an error that names the file when it can't be read, belongs to another
 * program, or is open in another process.
 */
export const openQueueFile = (path: string) => {
  const { database, unlock } = openDatabase(path);
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
    /** Gives the journal of the queue with this name. */
    journalOf: (queue: string): Journal => ({
      load: () => load(queue),
      nextSequence,
      add: ({ sequence, messageId, body, groupId = null, deduplicationId = null, sentAt, visibleAt }) =>
        void insert.run(sequence, queue, messageId, body, groupId, deduplicationId, sentAt, visibleAt),
      remove: (sequence) => (database.isTransaction ? removals.now(sequence) : removals.soon(sequence)),
      clear: () => void database.prepare('DELETE FROM messages WHERE queue = ?').run(queue),
      together: (run) => (database.isTransaction ? run() : inOne(database, run)),
    }),
    /** Writes pending removals and closes the file. The queues can't be used afterwards. */
    close: (): void => {
      if (!database.isOpen) return;
      try {
        removals.flush();
      } finally {
        database.close();
        unlock();
      }
    },
  };
};
