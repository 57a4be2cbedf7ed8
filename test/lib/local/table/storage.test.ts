import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataFileOf, openForTool, openStorage } from '#lib/local/table/storage.ts';
import type { Document } from '#lib/local/table/values.ts';
import { firstUlidAt } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';

let folder: string;
let dataDir: string;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'storage-'));
  dataDir = join(folder, 'deep', 'data');
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});
const open = () => {
  const storage = openStorage(dataDir);
  closing.push(storage.close);
  const put = (item: Document) => storage.turns.write(() => storage.rows.put(item, 10));
  return { ...storage, put };
};
const pragma = (database: DatabaseSync, name: string) =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

test("a host's file has a separate journal that outlives a crash, and overwrites deleted data", () => {
  const { database } = open();
  const names = ['journal_mode', 'synchronous', 'wal_autocheckpoint', 'secure_delete', 'application_id'];
  expect(names.map((name) => pragma(database, name))).toEqual(['wal', 1, 4_000, 2, 0x53433031]);
  expect(dataFileOf(':memory:')).toBe(':memory:');
  expect(dataFileOf('a')).toBe(join('a', 'cloud.sqlite'));
});

test("a host's file can be used by only one host at a time", async () => {
  const { close } = open();
  expect(() => openStorage(dataDir)).toThrow(`cannot open ${dataFileOf(dataDir)}: another process has it open`);
  await close();
  const file = dataFileOf(dataDir);
  const content = readFileSync(file);
  writeFileSync(file, 'no database, but long enough for one: '.repeat(30));
  expect(() => openStorage(dataDir)).toThrow('file is not a database; replace the data folder with a backup');
  writeFileSync(file, content);
  await open().close();
});

test("a host's file keeps what was written, for every index and in order", async () => {
  const first = open();
  const item = { pk: 'p', sk: 's', duePk: 'D', dueAt: '1', ttl: 5.5, n: 2n ** 60n, list: [{ a: null }] };
  await first.put(item);
  await first.put({ pk: 'p', sk: 'gone' });
  await first.turns.write(() => first.rows.remove('p', 'gone'));
  await first.close();
  const { rows } = open();
  expect([rows.get('p', 's'), rows.get('p', 'gone'), rows.find('p', 's')?.size]).toEqual([item, null, 10]);
  const due = {
    index: 'due',
    partition: 'D',
    low: '',
    high: null,
    isClosed: false,
    newestFirst: false,
    after: null,
  } as const;
  expect(rows.page(due).rows.map(({ item }) => item)).toEqual([{ pk: 'p', sk: 's', duePk: 'D', dueAt: '1' }]);
});

test("a host's file can be closed twice, and is then free for the next host", async () => {
  const first = open();
  await first.put({ pk: 'p', sk: 's' });
  await first.close();
  await first.close();
  expect(open().rows.get('p', 's')).toEqual({ pk: 'p', sk: 's' });
});

test("a host's file is rewritten on close if anything was erased", async () => {
  const text = 'a text about a person';
  const erased = async (isErasure: boolean) => {
    const { put, rows, turns, close } = open();
    for (let at = 0; at < 20; at++) await put({ pk: 'p', sk: String(at), text: `${text} ${at} `.repeat(9) });
    await turns.kept();
    await turns.write(() => {
      for (let at = 0; at < 20; at += 2) rows.remove('p', String(at));
    });
    if (isErasure) await put({ pk: items.erasure.pk({}), sk: firstUlidAt(Date.now()).padEnd(26, '0'), n: 1 });
    await close();
    const database = new DatabaseSync(dataFileOf(dataDir));
    const version = Number(pragma(database, 'user_version'));
    const free = Number(pragma(database, 'freelist_count'));
    database.close();
    return { version, free };
  };
  expect((await erased(false)).version).toBe(0);
  const { version, free } = await erased(true);
  expect(Math.abs(version - Date.now() / 60_000)).toBeLessThan(2);
  expect(free).toBe(0);
  expect(readFileSync(dataFileOf(dataDir)).includes(`${text} 2 `)).toBe(false);
});

test("a host's file can be read only by the owner", async () => {
  const { put, turns } = open();
  await put({ pk: 'p', sk: 's' });
  await turns.kept();
  for (const suffix of ['', '-wal']) expect(statSync(dataFileOf(dataDir) + suffix).mode & 0o077).toBe(0);
});

describe('a tool', () => {
  test("a tool reads and writes the host's file, and the host notices the changes", async () => {
    const host = open();
    await host.put({ pk: 'p', sk: 's', n: 1 });
    await host.turns.kept();
    const tool = openForTool(dataDir);
    closing.push(tool.close);
    expect(tool.rows.get('p', 's')).toEqual({ pk: 'p', sk: 's', n: 1 });
    await tool.turns.write(() => tool.rows.put({ pk: 'p', sk: 's', n: 2 }, 10));
    expect(await host.turns.read(() => host.rows.get('p', 's'))).toEqual({ pk: 'p', sk: 's', n: 2 });
    await host.put({ pk: 'p', sk: 's', n: 3 });
    await host.turns.kept();
    expect(await tool.turns.read(() => tool.rows.get('p', 's'))).toEqual({ pk: 'p', sk: 's', n: 3 });
  });

  test('a tool creates no file in a folder without data', () => {
    expect(() => openForTool(dataDir)).toThrow();
    expect(existsSync(dataFileOf(dataDir))).toBe(false);
  });
});
