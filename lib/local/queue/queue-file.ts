import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { partlyApplied } from '../table/errors.ts';
import type { Turns } from '../table/turns.ts';
import type { Journal, Row } from './journal.ts';

/** The table of the queues in the host's file. AUTOINCREMENT never reuses the number of a removed message. */
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

/**
 * Returns a function that opens the journal of a queue, by its name, in the host's file. What one run of synchronous code
 * adds and removes is stored together, or not at all (table/turns.ts).
 */
export const journalsIn = ({ database, turns }: { database: DatabaseSync; turns: Turns }) => {
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM messages WHERE sequence = ?');
  const clear = database.prepare('DELETE FROM messages WHERE queue = ?');
  let last = Number(database.prepare(LAST).get()?.seq ?? 0);
  const load = (queue: string): Row[] =>
    database
      .prepare(ROWS)
      .all(queue)
      .map(
        (row) =>
          ({ ...row, groupId: row.groupId ?? undefined, deduplicationId: row.deduplicationId ?? undefined }) as Row,
      );
  // A message that is moved must not be removed if it could not be added.
  const change = (statement: StatementSync, ...values: SQLInputValue[]): Promise<void> =>
    turns.write(() => {
      try {
        statement.run(...values);
      } catch (error) {
        throw partlyApplied(error);
      }
    });
  return (queue: string): Journal => ({
    load: () => load(queue),
    nextSequence: () => ++last,
    add: ({ sequence, messageId, body, groupId = null, deduplicationId = null, sentAt, visibleAt }) =>
      change(insert, sequence, queue, messageId, body, groupId, deduplicationId, sentAt, visibleAt),
    remove: (sequence) => change(remove, sequence),
    clear: () => change(clear, queue),
    settled: () => turns.read(() => {}),
  });
};
