import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataFileOf } from '#lib/local/table/storage.ts';

/** The key that encrypts secrets in these folders. */
const SECRETS_KEY = Buffer.alloc(32, 7);

export const prepare = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'secrets.key'), SECRETS_KEY);
};

const literal = (value: unknown): string =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;

/** Returns SQL statements that recreate a data folder's database: the tables, and each row as stored. */
export const dump = (folder: string): string => {
  const database = new DatabaseSync(dataFileOf(folder), { readOnly: true });
  const select = (query: string) => database.prepare(query).all();
  const id = Object.values(database.prepare('PRAGMA application_id').get() ?? {})[0];
  const tables = select("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'");
  const rows = ['items', 'messages'].flatMap((table) =>
    select(`SELECT * FROM ${table}`).map(
      (row) => `INSERT INTO ${table} VALUES (${Object.values(row).map(literal).join(', ')})`,
    ),
  );
  database.close();
  return [`PRAGMA application_id = ${id}`, ...tables.map(({ sql }) => sql), ...rows, ''].join(';\n');
};

/** Creates a data folder from such statements. */
export const restore = async (folder: string, statements: string): Promise<void> => {
  await prepare(folder);
  const database = new DatabaseSync(dataFileOf(folder));
  database.exec(statements);
  database.close();
};
