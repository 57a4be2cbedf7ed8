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

test('the calls of one turn of the event loop see each other, and are one transaction', async () => {
  const ours = open(folder);
  const others = open(':memory:');
  let ended = 0;
  const { exec } = ours.database;
  ours.database.exec = (text) => {
    if (text === 'COMMIT') ended += 1;
    return exec.call(ours.database, text);
  };
  const answers = [ours.put('a'), ours.put('b'), ours.get('a')];
  expect((await Promise.all(answers))[2]).toBe('a');
  expect([ended, await ours.get('b'), ended, await others.get('a')]).toEqual([1, 'b', 1, null]);
});

test('a transaction that was not kept is carried out when it is tried again by its token', async () => {
  const ours = open(folder);
  const once = () =>
    ours.send(
      new TransactWriteCommand({
        ClientRequestToken: 't',
        TransactItems: [{ Put: { TableName, Item: { pk: 'p', sk: 'a' } } }],
      }),
    );
  const refused = Promise.allSettled([once(), broken(ours)]);
  expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await once();
  expect(await ours.get('a')).toBe('a');
});

test('nobody is answered before what the turn wrote is in the file', async () => {
  const ours = open(folder);
  let isAnswered = false;
  const put = ours.put('a').then(() => {
    isAnswered = true;
  });
  expect([ours.database.isTransaction, isAnswered]).toEqual([true, false]);
  await put;
  expect(ours.database.isTransaction).toBe(false);
});

test('when one call of a turn cannot be written, nothing of the turn is kept, and all of it may be tried again', async () => {
  const ours = open(folder);
  await ours.put('before');
  const results = await Promise.allSettled([ours.put('a'), broken(ours), ours.get('before'), ours.put('b')]);
  expect(results.map((result) => (result.status === 'rejected' ? result.reason.name : result.status))).toEqual(
    Array(4).fill('InternalServerError'),
  );
  expect([await ours.get('a'), await ours.get('b'), await ours.get('before')]).toEqual([null, null, 'before']);
  await ours.put('a');
  expect(await ours.get('a')).toBe('a');
});

/** Copies the files of a folder at each moment at which the disk is told to keep them, and gives the latest copy. */
const watchDisk = async (dataDir: string) => {
  const handle = await openFile(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { datasync } = prototype;
  let latest = '';
  prototype.datasync = async function (...given: unknown[]) {
    const copy = mkdtempSync(join(folder, 'copy-'));
    for (const suffix of ['', '-wal']) copyFileSync(`${dataFileOf(dataDir)}${suffix}`, `${dataFileOf(copy)}${suffix}`);
    await datasync.apply(this, given);
    latest = copy;
  };
  closing.push(async () => {
    prototype.datasync = datasync;
  });
  return () => latest;
};

test('a power cut loses nothing that was answered', async () => {
  const dataDir = join(folder, 'data');
  const ours = open(dataDir);
  const onDisk = await watchDisk(dataDir);
  const cuts: { disk: string; answered: string[] }[] = [];
  const answered: string[] = [];
  const put = async (sk: string) => {
    await ours.put(sk);
    answered.push(sk);
    cuts.push({ disk: onDisk(), answered: [...answered] });
  };
  // Commits go on while the disk is busy with those before.
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

test('when the disk does not keep what was written, nobody is told that it does, now or later', async () => {
  const dataDir = join(folder, 'data');
  const ours = open(dataDir);
  await ours.put('before');
  const handle = await openFile(join(folder, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { datasync } = prototype;
  prototype.datasync = async () => {
    throw new Error('EIO');
  };
  await expect(ours.put('a')).rejects.toMatchObject({ name: 'InternalServerError' });
  prototype.datasync = datasync;
  await expect(ours.put('b')).rejects.toMatchObject({ name: 'InternalServerError' });
});
