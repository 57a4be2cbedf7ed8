import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/local/clock.ts';
import { lockFile } from '../../../../lib/local/file-lock.ts';
import { createQueue } from '../../../../lib/local/queue.ts';
import { journalsIn } from '../../../../lib/local/queue-file.ts';
import { rowsOf } from '../../../../lib/local/table/rows.ts';
import { dataFileOf, openStorage } from '../../../../lib/local/table/storage.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'older-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The two files of version 0.1.0, as its engines left them. */
const leaveOlder = () => {
  const table = new DatabaseSync(join(folder, 'table.db'));
  table.exec(`CREATE TABLE "sensor-cloud" (
    pk TEXT NOT NULL, sk TEXT NOT NULL DEFAULT '', item_json TEXT NOT NULL, item_size INTEGER NOT NULL,
    cached_at REAL, hash_prefix TEXT NOT NULL DEFAULT '', PRIMARY KEY (pk, sk)
  )`);
  const values = `{"pk":{"S":"C#1"},"sk":{"S":"X"},"n":{"N":"1.5"},"big":{"N":"9007199254740993"},"l":{"L":[{"N":"1"},{"NULL":true},{"BOOL":true}]},"m":{"M":{"a":{"S":"b"}}},"duePk":{"S":"D"},"dueAt":{"S":"1"}}`;
  table
    .prepare('INSERT INTO "sensor-cloud" (pk, sk, item_json, item_size) VALUES (?, ?, ?, 1)')
    .run('S:C#1', 'S:X', values);
  table.close();
  const queues = new DatabaseSync(join(folder, 'queues.sqlite'));
  queues.exec(`
    CREATE TABLE messages (
      sequence INTEGER PRIMARY KEY, queue TEXT NOT NULL, message_id TEXT NOT NULL, body TEXT NOT NULL,
      group_id TEXT, deduplication_id TEXT, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL
    );
    CREATE TABLE numbers (last INTEGER NOT NULL);
    INSERT INTO numbers VALUES (20000);
    INSERT INTO messages VALUES (7, 'events', 'id', 'body', 'g', 'd', 5, 0);
  `);
  queues.close();
};

test('what version 0.1.0 left in a folder is there: items and messages, whose numbers go on growing', async () => {
  leaveOlder();
  const before = statSync(join(folder, 'table.db')).size;
  const storage = openStorage(folder);
  expect(rowsOf(storage.database).get('C#1', 'X')).toEqual({
    ...{ pk: 'C#1', sk: 'X', n: 1.5, big: 9_007_199_254_740_993n, l: [1, null, true], m: { a: 'b' } },
    ...{ duePk: 'D', dueAt: '1' },
  });
  const about = { name: 'events', fifo: true, visibilitySeconds: 30, maxReceiveCount: 5, clock: systemClock } as const;
  const queue = createQueue({ ...about, journal: journalsIn(storage)('events') });
  queue.send({ body: 'next', groupId: 'g', deduplicationId: 'e' });
  await queue.kept();
  expect(queue.receive(10).map(({ body, attributes }) => [body, Number(attributes.SequenceNumber)])).toEqual([
    ['body', 7],
    ['next', 20_001],
  ]);
  await storage.close();
  expect(statSync(join(folder, 'table.db')).size).toBe(before);
  await openStorage(folder).close();
});

test('a folder whose older host still runs is refused, and imported once that has ended', async () => {
  leaveOlder();
  const unlock = lockFile(join(folder, 'queues.sqlite.lock'));
  expect(() => openStorage(folder)).toThrow(
    `the data cannot be kept in ${dataFileOf(folder)}: another process has it open`,
  );
  unlock();
  const storage = openStorage(folder);
  expect(rowsOf(storage.database).get('C#1', 'X')).not.toBeNull();
  await storage.close();
});

test('a folder from before 0.1.0 is refused by a sentence', () => {
  leaveOlder();
  rmSync(join(folder, 'queues.sqlite'));
  expect(() => openStorage(folder)).toThrow(
    'the folder is from before 0.1.0, whose waiting messages this version cannot read',
  );
});
