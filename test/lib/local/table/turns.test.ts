import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tableClient } from '#lib/local/table/client.ts';
import { partlyApplied } from '#lib/local/table/errors.ts';
import { dataFileOf, openForTool, openStorage } from '#lib/local/table/storage.ts';
import { eventually } from '#test/fixtures/eventually.ts';
import { replaceSync, watchDisk } from '#test/fixtures/simulated-disk.ts';

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
const open = (dataDir: string, options?: Parameters<typeof openStorage>[1]) => {
  const storage = openStorage(dataDir, options);
  closing.push(storage.close);
  const { send } = tableClient(storage.rows, storage.turns, TableName, Date.now);
  const put = (sk: string) => send(new PutCommand({ TableName, Item: { pk: 'p', sk } }));
  const get = async (sk: string) => (await send(new GetCommand({ TableName, Key: { pk: 'p', sk } }))).Item?.sk ?? null;
  const { kept } = storage.turns;
  return { ...storage, send, put, get, kept };
};
/** Opens a table and records losses. */
const openNoting = (dataDir: string) => {
  const losses: Error[] = [];
  return { ...open(dataDir, { onLost: (error) => void losses.push(error) }), losses };
};
/** Reads an item with a separate connection, which sees only committed data. */
const committed = (dataDir: string, sk: string): boolean => {
  const database = new DatabaseSync(dataFileOf(dataDir));
  const row = database.prepare('SELECT 1 FROM items WHERE sk = ?').get(sk);
  database.close();
  return row !== undefined;
};
const refused = { name: 'InternalServerError', message: 'could not write to the table' };

test("calls in one event loop turn see each other's changes, and one commit stores them", async () => {
  const storage = open(folder);
  expect((await Promise.all([storage.put('a'), storage.put('b'), storage.get('a')]))[2]).toBe('a');
  expect([committed(folder, 'a'), committed(folder, 'b')]).toEqual([false, false]);
  await storage.kept();
  expect([committed(folder, 'a'), committed(folder, 'b')]).toEqual([true, true]);
});

test('changes that no caller waits for are committed promptly', async () => {
  const storage = open(folder);
  await storage.put('a');
  await eventually(() => committed(folder, 'a'));
});

test('calls settle at the end of a turn, in the order they were made', async () => {
  const storage = open(folder);
  const order: string[] = [];
  const note = (name: string, call: Promise<unknown>) => {
    const answered = () => void order.push(name);
    return call.then(answered, answered);
  };
  const fails = () => {
    throw new Error('the condition failed');
  };
  const Put = { TableName, Item: { pk: 'p', sk: 'c' } };
  const calls = [
    note('put', storage.put('a')),
    note('failed write', storage.turns.write(fails)),
    note('get', storage.send(new GetCommand({ TableName, Key: { pk: 'p', sk: 'a' } }))),
    note('failed read', storage.turns.read(fails)),
    note('transaction', storage.send(new TransactWriteCommand({ TransactItems: [{ Put }] }))),
    note('last', storage.put('b')),
  ];
  await Promise.resolve();
  expect(order).toEqual([]);
  await Promise.all(calls);
  expect(order).toEqual(['put', 'failed write', 'get', 'failed read', 'transaction', 'last']);
});

test('a full disk fails the rest of the turn without losing any data', async () => {
  let isFull = false;
  const losses: Error[] = [];
  const storage = open(folder, { hasSpace: () => !isFull, onLost: (error) => void losses.push(error) });
  await storage.put('before');
  await storage.kept();
  isFull = true;
  const results = [storage.put('a'), storage.get('before')];
  // The next call may belong to the same change as the rejected one.
  isFull = false;
  results.push(storage.put('b'));
  for (const result of results) await expect(result).rejects.toMatchObject(refused);
  expect([await storage.get('a'), await storage.get('b'), await storage.get('before')]).toEqual([null, null, 'before']);
  await storage.put('a');
  await storage.kept();
  expect([committed(folder, 'a'), losses]).toEqual([true, []]);
});

test('a rejected transaction executes when retried with the same token', async () => {
  let isFull = true;
  const storage = open(folder, { hasSpace: () => !isFull });
  const once = () =>
    storage.send(
      new TransactWriteCommand({
        ClientRequestToken: 't',
        TransactItems: [{ Put: { TableName, Item: { pk: 'p', sk: 'a' } } }],
      }),
    );
  await expect(once()).rejects.toMatchObject(refused);
  isFull = false;
  await once();
  expect(await storage.get('a')).toBe('a');
});

test('a statement that fails as a whole rejects only its own call', async () => {
  const storage = openNoting(folder);
  const broken = storage.turns.write(() => storage.database.exec('INSERT INTO nowhere VALUES (1)'));
  const results = await Promise.allSettled([storage.put('a'), broken, storage.put('b')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await storage.kept();
  expect([committed(folder, 'a'), committed(folder, 'b'), storage.losses]).toEqual([true, true, []]);
});

test('a partially applied change makes all later calls fail, and nothing in the transaction is stored', async () => {
  const storage = openNoting(folder);
  await storage.put('a');
  const half = storage.turns.write(() => {
    throw partlyApplied(new Error('no page'));
  });
  await expect(half).rejects.toMatchObject(refused);
  await expect(storage.get('a')).rejects.toMatchObject(refused);
  await expect(storage.kept()).rejects.toMatchObject(refused);
  expect([storage.losses.length, committed(folder, 'a')]).toEqual([1, false]);
});

test('a failed commit makes all later calls fail, is reported once, and keeps data stored earlier', async () => {
  const storage = openNoting(folder);
  await storage.put('kept');
  await storage.kept();
  // The database may not grow anymore, as on a disk that has become full.
  storage.database.exec(`PRAGMA max_page_count = ${storage.database.prepare('PRAGMA page_count').get()?.page_count}`);
  const large = { pk: 'p', sk: 'large', text: 'x'.repeat(100_000) };
  const results = [storage.put('a'), storage.send(new PutCommand({ TableName, Item: large })), storage.put('b')];
  await Promise.allSettled(results);
  await expect(storage.kept()).rejects.toMatchObject(refused);
  storage.database.exec('PRAGMA max_page_count = 1073741823');
  await expect(storage.put('c')).rejects.toMatchObject(refused);
  await expect(storage.kept()).rejects.toMatchObject(refused);
  expect([storage.losses.length, storage.turns.isFull()]).toEqual([1, true]);
  await storage.close();
  const after = open(folder);
  expect([await after.get('kept'), await after.get('a'), await after.get('b')]).toEqual(['kept', null, null]);
});

test('a power failure loses nothing that was stored', async () => {
  const dataDir = join(folder, 'data');
  const storage = open(dataDir);
  const onDisk = await watchDisk(dataDir, folder);
  const cuts: { disk: string; kept: string[] }[] = [];
  const done: string[] = [];
  const keep = async (sk: string) => {
    await storage.put(sk);
    await storage.kept();
    done.push(sk);
    cuts.push({ disk: onDisk(), kept: [...done] });
  };
  // Calls continue while the disk syncs earlier ones.
  const rounds = Array.from({ length: 5 }, async (_, round) => {
    for (let at = 0; at < 4; at++) {
      await keep(`${round}-${at}`);
      for (let turn = 0; turn < round; turn++) await nextTurn();
    }
  });
  await Promise.all(rounds);
  expect(new Set(cuts.map(({ disk }) => disk)).size).toBeGreaterThan(3);
  for (const { disk, kept } of cuts) {
    const after = openStorage(disk);
    for (const sk of kept) expect([disk, after.rows.get('p', sk)]).toEqual([disk, { pk: 'p', sk }]);
    await after.close();
  }
});

test('all callers waiting when a turn ends share one sync', async () => {
  const storage = open(folder);
  let syncs = 0;
  await replaceSync(async (sync) => {
    syncs += 1;
    await sync();
  });
  await Promise.all(['a', 'b', 'c'].map(async (sk) => storage.put(sk).then(storage.kept)));
  expect(syncs).toBe(1);
  await storage.kept();
  expect(syncs).toBe(1);
});

test('a failed sync makes the change and all later changes fail', async () => {
  const storage = openNoting(folder);
  await storage.put('before');
  await storage.kept();
  let isFailing = true;
  await replaceSync(async (sync) => {
    if (isFailing) throw new Error('EIO');
    await sync();
  });
  await storage.put('a');
  await expect(storage.kept()).rejects.toMatchObject(refused);
  isFailing = false;
  await expect(storage.put('b')).rejects.toMatchObject(refused);
  await expect(storage.kept()).rejects.toMatchObject(refused);
  expect(storage.losses).toMatchObject([{ cause: new Error('EIO') }]);
});

test("a tool's call resolves once the changes are committed, and the host reads them", async () => {
  const host = open(folder);
  await host.put('of the host');
  await host.kept();
  const tool = openForTool(folder);
  closing.push(async () => tool.close());
  const { send } = tableClient(tool.rows, tool.turns, TableName, Date.now);
  await send(new PutCommand({ TableName, Item: { pk: 'p', sk: 'of the tool' } }));
  expect(committed(folder, 'of the tool')).toBe(true);
  expect(await host.get('of the tool')).toBe('of the tool');
});
