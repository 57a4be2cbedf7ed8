import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataFileOf, openStorage } from '#lib/local/table/storage.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'damage-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const PAGE = 4_096;

/** Fills a data folder with a few hundred item pages. */
const fill = async (dataDir: string) => {
  const { rows, turns, close } = openStorage(dataDir);
  const item = (at: number) => ({ pk: `p${at % 7}`, sk: `${at}`, text: 'x'.repeat(1_000) });
  await turns.write(() => {
    for (let at = 0; at < 1_000; at++) rows.put(item(at), 1_020);
  });
  await close();
};

/** Overwrites a page in the middle, like a bad disk block. */
const damage = (file: string) => {
  const handle = openSync(file, 'r+');
  const middle = Math.floor(statSync(file).size / PAGE / 2) * PAGE;
  writeSync(handle, Buffer.alloc(PAGE, 0xaa), 0, PAGE, middle);
  closeSync(handle);
};

/** Whether SQLite can open the file and read an undamaged part. */
const isReadable = (file: string) => {
  const database = new DatabaseSync(file);
  const { item } = database.prepare("SELECT item FROM items WHERE pk = 'p1' AND sk = '1'").get() ?? {};
  database.close();
  return String(item).includes('"sk":"1"');
};

test('the host rejects a file with a damaged page, and starts with a backup instead', async () => {
  const dataDir = join(folder, 'data');
  const backup = join(folder, 'backup');
  await fill(dataDir);
  cpSync(dataDir, backup, { recursive: true });
  const file = dataFileOf(dataDir);
  damage(file);
  const before = readFileSync(file);
  expect(isReadable(file)).toBe(true);
  expect(() => openStorage(dataDir)).toThrow(
    /^cannot open \S+cloud\.sqlite: it is damaged \(.+\); replace the data folder with a backup \(see .+\)$/,
  );
  expect(readFileSync(file).equals(before)).toBe(true);
  rmSync(dataDir, { recursive: true });
  cpSync(backup, dataDir, { recursive: true });
  const { rows, close } = openStorage(dataDir);
  expect(rows.get('p6', '510')).toMatchObject({ sk: '510' });
  await close();
});
