import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type IndexName, tableDesign } from '#shared/store/table.ts';
import { createCache } from './cache.ts';
import { indexNames, keyNames } from './keys.ts';
import { type Document, parseDocument, serializeDocument, sizeOf, type Value } from './values.ts';

/** The key columns in the indexes. */
const indexed = indexNames.flatMap((index) => keyNames(index));
/** The statements that create the indexes. An item that lacks an index's keys is not in that index. */
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

/** Part of the table or an index, ordered by sort key. */
export type Range = {
  index: IndexName | undefined;
  partition: string;
  /** The lowest sort key in the range. */
  low: string;
  /** The highest sort key, or the first one after the range. Null if there is no upper bound. */
  high: string | null;
  /** Whether `high` is part of the range. */
  isClosed: boolean;
  newestFirst: boolean;
  /** The sort key (in an index, also the primary key) of the item before the range. */
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

/** A stored item. Callers share it, so none of them may change it. */
type Row = { readonly item: Document; readonly size: number };
/** The rows in one query page, and whether the page ended at a limit. */
type Page = { readonly rows: readonly Row[]; readonly isCutOff: boolean };

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html */
const MAX_PAGE_BYTES = 1_024 * 1_024;
/** The maximum bytes of parsed items and pages in each of the two cache generations. */
const CACHE_BYTES = { items: 8 * 1_024 * 1_024, pages: 4 * 1_024 * 1_024 };
/** Larger pages (bytes) are not kept. They come from long lists, which would displace all other pages. */
const MAX_CACHED_PAGE_BYTES = 64 * 1_024;

const freeze = (value: Value): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
};

/**
 * Keeps parsed rows and pages. A change goes to SQLite and then here in one run of synchronous code, so the two always
 * agree.
 */
const createParsed = (freezes: boolean) => {
  const items = createCache<Row | null>(CACHE_BYTES.items);
  /** Each partition's pages, by range. Every change in the partition makes them obsolete. */
  const pages = createCache<Map<string, Page>>(CACHE_BYTES.pages);
  const itemKey = (pk: string, sk: string): string => `${pk}\n${sk}`;
  return {
    find: (pk: string, sk: string): Row | null | undefined => items.get(itemKey(pk, sk)),
    note: (pk: string, sk: string, row: Row | null): void => {
      if (freezes && row) freeze(row.item);
      items.set(itemKey(pk, sk), row, row?.size ?? 0);
    },
    change: (pk: string): void => pages.remove(pk),
    page: (pk: string, name: string): Page | undefined => pages.get(pk)?.get(name),
    notePage: (pk: string, name: string, page: Page, size: number): void => {
      if (freezes) for (const { item } of page.rows) freeze(item);
      if (size > MAX_CACHED_PAGE_BYTES) return;
      const known = pages.get(pk) ?? new Map<string, Page>();
      const before = [...known.values()].flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.size, 0);
      pages.set(pk, known.set(name, page), before + size);
    },
    clear: (): void => {
      items.clear();
      pages.clear();
    },
  };
};

/**
 * Returns the operations on the table's rows in an open database. `freezes` makes callers fail if they change data they
 * read.
 */
export const rowsOf = (database: DatabaseSync, { freezes = false }: { freezes?: boolean | undefined } = {}) => {
  const parsed = createParsed(freezes);
  const prepared = statementCache(database);
  const read = database.prepare('SELECT size, item FROM items WHERE pk = ? AND sk = ?');
  const write = database.prepare(WRITE);
  const remove = database.prepare('DELETE FROM items WHERE pk = ? AND sk = ?');
  const expire = database.prepare(
    'DELETE FROM items WHERE rowid IN (SELECT rowid FROM items WHERE expires < ? LIMIT ?) RETURNING pk, sk',
  );
  const find = (pk: string, sk: string): Row | null => {
    const known = parsed.find(pk, sk);
    if (known !== undefined) return known;
    const row = read.get(pk, sk);
    const found = row ? { item: parseDocument(String(row.item)), size: Number(row.size) } : null;
    parsed.note(pk, sk, found);
    return found;
  };
  const noteRemoved = (pk: string, sk: string): void => {
    parsed.note(pk, sk, null);
    parsed.change(pk);
  };
  /** Yields the rows in a range in order. For an index, yields only their keys. */
  function* range(range: Range): Generator<Row> {
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
  }
  return {
    find,
    get: (pk: string, sk: string): Document | null => find(pk, sk)?.item ?? null,
    put: (item: Document, size: number): void => {
      const expires = item[tableDesign.ttl];
      const keys = ['pk', 'sk', ...indexed].map((name) => (item[name] as string | undefined) ?? null);
      write.run(...keys, typeof expires === 'number' ? Math.floor(expires) : null, size, serializeDocument(item));
      parsed.note(String(item.pk), String(item.sk), { item, size });
      parsed.change(String(item.pk));
    },
    remove: (pk: string, sk: string): void => {
      remove.run(pk, sk);
      noteRemoved(pk, sk);
    },
    /** Returns the first rows in a range, limited by number and page size. For an index, returns only their keys. */
    page: (of: Range, limit = Number.POSITIVE_INFINITY): Page => {
      const name = JSON.stringify([of.low, of.high, of.isClosed, of.newestFirst, of.after, limit]);
      const known = of.index ? undefined : parsed.page(of.partition, name);
      if (known) return known;
      const rows: Row[] = [];
      let size = 0;
      let isCutOff = false;
      for (const row of range(of)) {
        rows.push(row);
        size += row.size;
        isCutOff = rows.length === limit || size >= MAX_PAGE_BYTES;
        if (isCutOff) break;
      }
      const page = { rows, isCutOff };
      if (!of.index) parsed.notePage(of.partition, name, page, size);
      return page;
    },
    /** Removes up to `max` items that expired before the given time (s). Returns the number removed. */
    removeExpired: (before: number, max: number): number => {
      const removed = expire.all(before, max);
      for (const { pk, sk } of removed) noteRemoved(String(pk), String(sk));
      return removed.length;
    },
    /** Forgets everything read, because another process has written to the file. */
    forget: parsed.clear,
  };
};
export type Rows = ReturnType<typeof rowsOf>;
