import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { partlyApplied } from '../table/errors.ts';
import type { Turns } from '../table/turns.ts';
import type { Journal, Row } from './journal.ts';

/** The SQL table for the queues in the host's file. AUTOINCREMENT never reuses a removed message's number. */
export const QUEUES = `
  CREATE TABLE messages (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL,
    group_id TEXT, deduplication_id TEXT, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL
  ) STRICT;
`;
const ROWS = `
  SELECT sequence, message_id AS messageId, body, group_id AS groupId, deduplication_id AS deduplicationId,
    sent_at AS sentAt, visible_at AS visibleAt
  FROM messages WHERE queue = ? ORDER BY sequence
`;
const LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'";
/** SQLite creates this row only when the first message is inserted. */
const KEEP_LAST = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'";
const FIRST_LAST = "INSERT INTO sqlite_sequence (name, seq) VALUES ('messages', ?)";

/**
 * Stores the highest message number, so no later process reuses a number, not even from a message that was never in the
 * file. A message with a reused number could look already processed, because sensor states record the last number
 * processed.
 */
const createNumbers = (database: DatabaseSync) => {
  const keep = database.prepare(KEEP_LAST);
  let kept = Number(database.prepare(LAST).get()?.seq ?? 0);
  let last = kept;
  return {
    next: (): number => ++last,
    store: (): void => {
      if (last === kept) return;
      if (keep.run(last).changes === 0) database.prepare(FIRST_LAST).run(last);
      kept = last;
    },
  };
};

/** Rows added since the last commit, by number. Most are removed before the next one. */
type Pending = Map<number, { queue: string; row: Row }>;

/**
 * Returns a function that opens a queue's journal, by queue name, in this host's file. Everything that one run of
 * synchronous code adds and removes is stored together or not at all (table/turns.ts). A message removed before the
 * next commit never reaches the file.
 */
export const journalsIn = ({ database, turns }: { database: DatabaseSync; turns: Turns }) => {
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM messages WHERE sequence = ?');
  const clear = database.prepare('DELETE FROM messages WHERE queue = ?');
  const numbers = createNumbers(database);
  const pending: Pending = new Map();
  turns.beforeCommit(() => {
    for (const { queue, row } of pending.values()) {
      const { sequence, messageId, body, groupId = null, deduplicationId = null, sentAt, visibleAt } = row;
      insert.run(sequence, queue, messageId, body, groupId, deduplicationId, sentAt, visibleAt);
    }
    pending.clear();
    numbers.store();
  });
  // A moved message must not be removed if it could not be added.
  const change = (statement: StatementSync, value: SQLInputValue): void => {
    try {
      statement.run(value);
    } catch (error) {
      throw partlyApplied(error);
    }
  };
  const load = (queue: string): Row[] =>
    database
      .prepare(ROWS)
      .all(queue)
      .map(
        (row) =>
          ({ ...row, groupId: row.groupId ?? undefined, deduplicationId: row.deduplicationId ?? undefined }) as Row,
      );
  return (queue: string): Journal => ({
    load: () => load(queue),
    nextSequence: numbers.next,
    add: (row) =>
      turns.write(() => {
        pending.set(row.sequence, { queue, row });
      }),
    remove: (sequence) =>
      turns.write(() => {
        if (!pending.delete(sequence)) change(remove, sequence);
      }),
    clear: () =>
      turns.write(() => {
        for (const [sequence, { queue: of }] of pending) if (of === queue) pending.delete(sequence);
        change(clear, queue);
      }),
    settled: () => turns.read(() => {}),
  });
};
