import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tableClient } from '#lib/local/table/client.ts';
import { rowsOf } from '#lib/local/table/rows.ts';
import { dataFileOf, openStorage } from '#lib/local/table/storage.ts';

let folder: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turns-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true });
});

const TableName = 't';
const open = (dataDir: string) => {
  const storage = openStorage(dataDir);
  closing.push(storage.close);
  const { send } = tableClient(rowsOf(storage.database), storage.turns, TableName, Date.now);
  const put = (sk: string) => send(new PutCommand({ TableName, Item: { pk: 'p', sk } }));
  const get = async (sk: string) => (await send(new GetCommand({ TableName, Key: { pk: 'p', sk } }))).Item?.sk ?? null;
  return { ...storage, send, put, get };
};
const broken = ({ turns, database }: ReturnType<typeof open>) =>
  turns.write(() => database.exec('INSERT INTO nowhere VALUES (1)'));

test('calls in one turn of the event loop see each other, and form one transaction', async () => {
  const storage = open(folder);
  const others = open(':memory:');
  let ended = 0;
  const { exec } = storage.database;
  storage.database.exec = (text) => {
    if (text === 'COMMIT') ended += 1;
    return exec.call(storage.database, text);
  };
  const answers = [storage.put('a'), storage.put('b'), storage.get('a')];
  expect((await Promise.all(answers))[2]).toBe('a');
  expect([ended, await storage.get('b'), ended, await others.get('a')]).toEqual([1, 'b', 1, null]);
});

test('a transaction that could not be stored is executed when it is retried with its token', async () => {
  const storage = open(folder);
  const once = () =>
    storage.send(
      new TransactWriteCommand({
        ClientRequestToken: 't',
        TransactItems: [{ Put: { TableName, Item: { pk: 'p', sk: 'a' } } }],
      }),
    );
  const failed = Promise.allSettled([once(), broken(storage)]);
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await once();
  expect(await storage.get('a')).toBe('a');
});

test('no call resolves before the changes of its turn are in the file', async () => {
  const storage = open(folder);
  let isResolved = false;
  const put = storage.put('a').then(() => {
    isResolved = true;
  });
  expect([storage.database.isTransaction, isResolved]).toEqual([true, false]);
  await put;
  expect(storage.database.isTransaction).toBe(false);
});

test('a failed write rejects all calls of its turn, which can then be retried', async () => {
  const storage = open(folder);
  await storage.put('before');
  const results = await Promise.allSettled([
    storage.put('a'),
    broken(storage),
    storage.get('before'),
    storage.put('b'),
  ]);
  expect(results.map((result) => (result.status === 'rejected' ? result.reason.name : result.status))).toEqual(
    Array(4).fill('InternalServerError'),
  );
  expect([await storage.get('a'), await storage.get('b'), await storage.get('before')]).toEqual([null, null, 'before']);
  await storage.put('a');
  expect(await storage.get('a')).toBe('a');
});

/** Copies the files of a folder at each sync. Returns a function that returns the latest copy. */
const watchDisk = async (dataDir: string) => {
  const handle = await openFile(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { datasync } = prototype;
  let latest = '';
  prototype.datasync = async function (...args: unknown[]) {
    const copy = mkdtempSync(join(folder, 'copy-'));
    for (const suffix of ['', '-wal']) copyFileSync(`${dataFileOf(dataDir)}${suffix}`, `${dataFileOf(copy)}${suffix}`);
    await datasync.apply(this, args);
    latest = copy;
  };
  closing.push(async () => {
    prototype.datasync = datasync;
  });
  return () => latest;
};

test('a power cut loses no call that has resolved', async () => {
  const dataDir = join(folder, 'data');
  const storage = open(dataDir);
  const onDisk = await watchDisk(dataDir);
  const cuts: { disk: string; answered: string[] }[] = [];
  const answered: string[] = [];
  const put = async (sk: string) => {
    await storage.put(sk);
    answered.push(sk);
    cuts.push({ disk: onDisk(), answered: [...answered] });
  };
  // Commits continue while the disk syncs earlier ones.
  const rounds = Array.from({ length: 5 }, async (_, round) => {
    for (let at = 0; at < 4; at++) await put(`${round}-${at}`);
  });
  await Promise.all(rounds);
  expect(new Set(cuts.map(({ disk }) => disk)).size).toBeGreaterThan(3);
  for (const { disk, answered } of cuts) {
    const after = openStorage(disk);
    const rows = rowsOf(after.database);
    for (const sk of answered) expect([disk, rows.get('p', sk)]).toEqual([disk, { pk: 'p', sk }]);
    await after.close();
  }
});

test('no call resolves after a failed sync, then or later', async () => {
  const dataDir = join(folder, 'data');
  const storage = open(dataDir);
  await storage.put('before');
  const handle = await openFile(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { datasync } = prototype;
  prototype.datasync = async () => {
    throw new Error('EIO');
  };
  await expect(storage.put('a')).rejects.toMatchObject({ name: 'InternalServerError' });
  prototype.datasync = datasync;
  await expect(storage.put('b')).rejects.toMatchObject({ name: 'InternalServerError' });
});
