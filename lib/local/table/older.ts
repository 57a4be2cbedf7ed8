import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockFile } from '../file-lock.ts';
import { checkItem } from './keys.ts';
import { rowsOf } from './rows.ts';
import { type Document, documentOf, type Value } from './values.ts';

/** An AttributeValue of DynamoDB, of the types that JSON has. */
type Attribute =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: Attribute[] }
  | { M: Attributes };
type Attributes = { [name: string]: Attribute };

const nativeOf = (attribute: Attribute): Value => {
  if ('S' in attribute) return attribute.S;
  if ('N' in attribute)
    return Number.isSafeInteger(Number(attribute.N)) || attribute.N.includes('.')
      ? Number(attribute.N)
      : BigInt(attribute.N);
  if ('M' in attribute) return plain(attribute.M);
  if ('L' in attribute) return attribute.L.map(nativeOf);
  return 'BOOL' in attribute ? attribute.BOOL : null;
};
const plain = (attributes: Attributes): Document =>
  Object.fromEntries(Object.entries(attributes).map(([name, one]) => [name, nativeOf(one)]));

const copyItems = (older: DatabaseSync, database: DatabaseSync): void => {
  const rows = rowsOf(database);
  for (const { item_json: text } of older.prepare('SELECT item_json FROM "sensor-cloud"').iterate()) {
    const item = documentOf(plain(JSON.parse(String(text))));
    rows.put(item, checkItem(item));
  }
};

const copyMessages = (older: DatabaseSync, database: DatabaseSync): void => {
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const last = older.prepare('SELECT last FROM numbers').get()?.last ?? 0;
  for (const row of older.prepare('SELECT * FROM messages ORDER BY sequence').iterate())
    insert.run(...Object.values(row));
  // The numbers of messages go on growing.
  database.exec(`
    INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages');
    UPDATE sqlite_sequence SET seq = max(seq, ${Number(last)}) WHERE name = 'messages';
  `);
};

/**
 * Copies what version 0.1.0 left in a data folder, which had a file for the table and one for the queues, into the new
 * file. Its files stay as they are.
 */
export const importOlder = (folder: string, database: DatabaseSync): void => {
  const [table, queues] = ['table.db', 'queues.sqlite'].map((name) => join(folder, name)) as [string, string];
  if (!existsSync(table)) return;
  if (!existsSync(queues))
    throw new Error(
      'the folder is from before 0.1.0, whose waiting messages this version cannot read: take a new folder (DATA_DIR)',
    );
  // A host of that version must have ended.
  const unlock = lockFile(`${queues}.lock`);
  const [older, waiting] = [new DatabaseSync(table), new DatabaseSync(queues)];
  try {
    copyItems(older, database);
    copyMessages(waiting, database);
  } finally {
    older.close();
    waiting.close();
    unlock();
  }
};
