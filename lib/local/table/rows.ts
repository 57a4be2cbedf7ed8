import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type IndexName, tableDesign } from '#shared/store/table.ts';
import { indexNames, keyNames } from './keys.ts';
import { type Document, parseDocument, serializeDocument, sizeOf } from './values.ts';

/** The key columns of the indexes. */
const indexed = indexNames.flatMap((index) => keyNames(index));
/** The statements that create the indexes. An item without the keys of an index is not in it. */
const indexes = indexNames.map((index) => {
  const [partition, sort] = keyNames(index);
  return `CREATE INDEX ${index} ON items (${partition}, ${sort}, pk, sk) WHERE ${partition} IS NOT NULL AND ${sort} IS NOT NULL;`;
});

/** The table in SQLite: items as JSON, with their keys, expiry time and size (bytes) as columns. */
export const SCHEMA = `
  CREATE TABLE items (
    pk TEXT NOT NULL, sk TEXT NOT NULL, ${indexed.map((name) => `${name} TEXT, `).join('')}
    expires INTEGER, size INTEGER NOT NULL, item TEXT NOT NULL, PRIMARY KEY (pk, sk)
  ) STRICT;
  ${indexes.join('\n  ')}
  CREATE INDEX expiry ON items (expires) WHERE expires IS NOT NULL;
`;

const columns = ['pk', 'sk', ...indexed, 'expires', 'size', 'item'];
const WRITE = `
  INSERT INTO items (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
  ON CONFLICT (pk, sk) DO UPDATE SET ${columns
    .slice(2)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}
`;

/** A part of the table or of an index, in the order of its sort key. */
export type Range = {
  index: IndexName | undefined;
  partition: string;
  /** The lowest sort key of the range. */
  low: string;
  /** The highest sort key, or the first one after the range; null if there is no upper bound. */
  high: string | null;
  /** Whether `high` is part of the range. */
  isClosed: boolean;
  newestFirst: boolean;
  /** The sort key (in an index also the primary key) of the item after which the range begins. */
  after: readonly string[] | null;
};

/** Returns a function that prepares each statement once. */
const statementCache = (database: DatabaseSync) => {
  const known = new Map<string, StatementSync>();
  return (text: string): StatementSync => {
    const found = known.get(text) ?? database.prepare(text);
    known.set(text, found);
    return found;
  };
};

const selectOf = ({ index, partition, low, high, isClosed, newestFirst, after }: Range): [string, string[]] => {
  const [hash, sort] = keyNames(index);
  const order = index ? [sort, 'pk', 'sk'] : [sort];
  const conditions = [`${hash} = ?`, `${sort} >= ?`];
  const values = [partition, low];
  if (high !== null) {
    conditions.push(`${sort} ${isClosed ? '<=' : '<'} ?`);
    values.push(high);
  }
  if (after?.[0] !== undefined) {
    // Without this condition, SQLite may scan from the start of the range for each page.
    conditions.push(`${sort} ${newestFirst ? '<=' : '>='} ?`);
    values.push(after[0]);
  }
  if (after) {
    conditions.push(`(${order.join(', ')}) ${newestFirst ? '<' : '>'} (${order.map(() => '?').join(', ')})`);
    values.push(...after);
  }
  const selected = index ? ['pk', 'sk', hash, sort] : ['size', 'item'];
  const direction = newestFirst ? 'DESC' : 'ASC';
  const text =
    `SELECT ${selected.join(', ')} FROM items WHERE ${conditions.join(' AND ')} ` +
    `ORDER BY ${order.map((name) => `${name} ${direction}`).join(', ')}`;
  return [text, values];
};

/** Returns the operations on the table's rows in an open database. */
export const rowsOf = (database: DatabaseSync) => {
  const prepared = statementCache(database);
  const read = database.prepare('SELECT size, item FROM items WHERE pk = ? AND sk = ?');
  const write = database.prepare(WRITE);
  const remove = database.prepare('DELETE FROM items WHERE pk = ? AND sk = ?');
  const expire = database.prepare(
    'DELETE FROM items WHERE rowid IN (SELECT rowid FROM items WHERE expires < ? LIMIT ?)',
  );
  const find = (pk: string, sk: string): { item: Document; size: number } | null => {
    const row = read.get(pk, sk);
    return row ? { item: parseDocument(String(row.item)), size: Number(row.size) } : null;
  };
  return {
    find,
    get: (pk: string, sk: string): Document | null => find(pk, sk)?.item ?? null,
    put: (item: Document, size: number): void => {
      const expires = item[tableDesign.ttl];
      const keys = ['pk', 'sk', ...indexed].map((name) => (item[name] as string | undefined) ?? null);
      write.run(...keys, typeof expires === 'number' ? Math.floor(expires) : null, size, serializeDocument(item));
    },
    remove: (pk: string, sk: string): void => void remove.run(pk, sk),
    /** Yields the items of a range in order; from an index only their keys. */
    range: function* (range: Range): Generator<{ item: Document; size: number }> {
      const [text, parameters] = selectOf(range);
      const names = range.index ? ['pk', 'sk', ...keyNames(range.index)] : null;
      for (const row of prepared(text).iterate(...parameters)) {
        if (!names) yield { item: parseDocument(String(row.item)), size: Number(row.size) };
        else {
          const item: Document = {};
          for (const name of names) item[name] = String(row[name]);
          yield { item, size: sizeOf(item) };
        }
      }
    },
    /** Removes up to `max` items that expired before a time (s). Returns their number. */
    removeExpired: (before: number, max: number): number => Number(expire.run(before, max).changes),
  };
};
export type Rows = ReturnType<typeof rowsOf>;
