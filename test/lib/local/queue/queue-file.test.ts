import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createQueue, type QueueOptions } from '#lib/local/queue/queue.ts';
import { journalsIn } from '#lib/local/queue/queue-file.ts';
import { dataFileOf, openStorage } from '#lib/local/table/storage.ts';

let folder: string;
let path: string;
let dataDir: string;
const cleanUps: (() => void | Promise<void>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'queues-'));
  dataDir = join(folder, 'data');
  path = dataFileOf(dataDir);
  cleanUps.push(() => rmSync(folder, { recursive: true }));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const START = 1_000_000;
/** A process that begins at `at`: a FIFO queue and a standard one, with their dead-letter queues, in the file. */
const begin = (at = START, more: Partial<QueueOptions> = {}) => {
  const file = openStorage(dataDir);
  cleanUps.push(file.close);
  const journalOf = journalsIn(file);
  const clock = virtualClock(at);
  const open = (name: string, kind: Partial<QueueOptions>) => {
    const limits = { visibilitySeconds: 30, maxReceiveCount: 1, clock, ...kind };
    const deadLetter = createQueue({ name: `${name}-dead`, ...limits, journal: journalOf(`${name}-dead`) });
    return { deadLetter, queue: createQueue({ name, ...limits, deadLetter, journal: journalOf(name), ...more }) };
  };
  const calls = open('calls', { fifo: true });
  const send = async (...texts: string[]) => {
    for (const body of texts) calls.queue.send({ body, groupId: body.slice(0, 1), deduplicationId: body });
    await calls.queue.kept();
  };
  const take = () => calls.queue.receive(10).map(({ body }) => body);
  return { file, clock, ...calls, tasks: open('tasks', {}).queue, send, take };
};

test('queue file: the next process finds all messages that were not removed, visible, in order and complete', async () => {
  const first = begin();
  await first.send('a1', 'a2', 'b1', 'a3');
  const [a1, ...others] = first.queue.receive(10);
  first.queue.remove(a1?.receiptHandle ?? '');
  await first.file.close();
  const second = begin(START + 5_000);
  expect(second.queue.stats()).toMatchObject({ visible: 3, inFlight: 0 });
  const again = second.queue.receive(10);
  expect(again.map(({ body }) => body)).toEqual(['a2', 'b1', 'a3']);
  const [a2] = again;
  const before = others.find(({ body }) => body === 'a2');
  expect(a2).toEqual({
    ...before,
    receiptHandle: expect.any(String),
    attributes: { ...before?.attributes, ApproximateFirstReceiveTimestamp: String(START + 5_000) },
  });
});

test('queue file: a delay continues after a restart', async () => {
  const first = begin();
  first.tasks.send({ body: 'later', delaySeconds: 900 });
  first.tasks.send({ body: 'ungrouped' });
  await first.file.close();
  const { clock, tasks } = begin(START + 600_000);
  expect(tasks.receive(10)).toMatchObject([{ body: 'ungrouped' }]);
  await clock.advance(299_999);
  expect(tasks.receive(10).map(({ body }) => body)).not.toContain('later');
  await clock.advance(1);
  expect(tasks.receive(10)).toMatchObject([{ body: 'later' }]);
});

test('queue file: a clock that was set back hides no message for longer than the longest delay', async () => {
  const first = begin(START + 86_400_000);
  await first.send('a1');
  first.tasks.send({ body: 'later', delaySeconds: 10 });
  await first.file.close();
  const { clock, tasks, take } = begin();
  expect(take()).toEqual(['a1']);
  await clock.advance(900_000);
  expect(tasks.receive(10)).toMatchObject([{ body: 'later' }]);
});

test('queue file: sequence numbers grow from process to process, also when nothing was left', async () => {
  const numbers: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { file, queue, send } = begin();
    await send('a1');
    for (const { attributes, receiptHandle } of queue.receive(10)) {
      numbers.push(attributes.SequenceNumber ?? '');
      queue.remove(receiptHandle);
    }
    await file.close();
  }
  expect(new Set(numbers).size).toBe(3);
  expect(numbers).toEqual(numbers.toSorted());
});

test('queue file: queues in one file are independent, and purge empties only one', async () => {
  const first = begin();
  await first.send('a1');
  first.tasks.send({ body: 'task' });
  first.tasks.purge();
  await first.file.close();
  const second = begin();
  expect(second.tasks.receive(10)).toEqual([]);
  expect(second.take()).toEqual(['a1']);
});

test('queue file: moves to the dead letters and back survive a restart', async () => {
  const first = begin();
  await first.send('a1', 'a2');
  first.queue.receive(10);
  await first.clock.advance(30_000);
  expect(first.take()).toEqual([]);
  await first.file.close();
  const second = begin();
  expect(second.queue.stats().visible).toBe(0);
  expect(second.deadLetter.stats().visible).toBe(2);
  await second.send('a3');
  expect(second.queue.redrive()).toBe(2);
  await second.file.close();
  const third = begin();
  expect(third.deadLetter.stats().visible).toBe(0);
  expect(third.take()).toEqual(['a3', 'a1', 'a2']);
});

test('queue file: a move that is not kept is none: the messages stay where they were', async () => {
  const first = begin();
  await first.send('a1', 'a2', 'a3');
  first.queue.receive(10);
  await first.clock.advance(30_000);
  first.queue.receive(10);
  await first.queue.kept();
  const { turns } = first.file;
  const failing = turns.write(() => first.file.database.exec('INSERT INTO nowhere VALUES (1)'));
  expect(first.queue.redrive()).toBe(3);
  await expect(first.queue.kept()).rejects.toThrow('the table could not be written');
  await expect(failing).rejects.toThrow('the table could not be written');
  expect([first.deadLetter.stats().visible, first.queue.stats().visible]).toEqual([3, 0]);
  await first.file.close();
  const second = begin();
  expect([second.deadLetter.stats().visible, second.queue.stats().visible]).toEqual([3, 0]);
});

test('queue file: a message that is not kept is not received, and its next try is no repetition', async () => {
  const { file, queue, send, take } = begin();
  const failing = file.turns.write(() => file.database.exec('INSERT INTO nowhere VALUES (1)'));
  await expect(send('a1')).rejects.toThrow('the table could not be written');
  await expect(failing).rejects.toThrow();
  expect([take(), queue.stats().visible]).toEqual([[], 0]);
  await send('a1');
  await send('a1');
  expect(take()).toEqual(['a1']);
});

test('queue file: removals are kept with their turn, and closing twice does nothing', async () => {
  const first = begin();
  await first.send('a1', 'a2');
  for (const { receiptHandle } of first.queue.receive(10)) first.queue.remove(receiptHandle);
  await first.file.close();
  await first.file.close();
  await expect(first.send('a3')).rejects.toThrow();
  expect(begin().take()).toEqual([]);
});

test('an invalid file, a file of another program, or a folder is refused by a sentence that names it', () => {
  const text = 'no database at all, but long enough to look like the header of something'.repeat(9);
  mkdirSync(dataDir);
  const refusal = () => openStorage(dataDir);
  writeFileSync(path, text);
  expect(refusal).toThrow(`the data cannot be kept in ${path}: file is not a database; put a copy`);
  rmSync(path);
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE theirs (x)');
  other.close();
  const before = readFileSync(path);
  expect(refusal).toThrow(`the data cannot be kept in ${path}: it belongs to another program`);
  expect(readFileSync(path).equals(before)).toBe(true);
  rmSync(path);
  mkdirSync(path);
  expect(refusal).toThrow('EISDIR');
});

test('queue file: only its user can read it', async () => {
  const { send } = begin();
  await send('a1');
  for (const suffix of ['', '-wal']) expect(statSync(path + suffix).mode & 0o077).toBe(0);
});

/** A process of its own that sends one message after the other, and says so after each. */
const sender = (): ChildProcess => {
  const at = (name: string) => JSON.stringify(new URL(`../../../../lib/local/${name}.ts`, import.meta.url).href);
  const code = `
    const { openStorage } = await import(${at('table/storage')});
    const { journalsIn } = await import(${at('queue/queue-file')});
    const { createQueue } = await import(${at('queue/queue')});
    const { systemClock: clock } = await import(${at('clock')});
    globalThis.storage = openStorage(${JSON.stringify(dataDir)});
    const journal = journalsIn(storage)('calls');
    const queue = createQueue({ name: 'calls', fifo: true, visibilitySeconds: 30, maxReceiveCount: 1, clock, journal });
    for (let i = 1; ; i += 1) {
      queue.send({ body: String(i), groupId: 'a', deduplicationId: String(i) });
      if (i % 3 === 0) await queue.kept().then(() => process.stdout.write(i + '\\n'));
    }
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
};

test('queue file: a sent message survives SIGKILL, and a second process is refused because the first has the file', async () => {
  const process = sender();
  const ended = once(process, 'exit');
  cleanUps.push(() => void process.kill('SIGKILL'));
  if (!process.stdout) throw new Error('its output is piped');
  let last = 0;
  let killed = false;
  for await (const line of createInterface({ input: process.stdout })) {
    last = Number(line);
    if (last < 500 || killed) continue;
    expect(() => openStorage(dataDir)).toThrow(`the data cannot be kept in ${path}: another process has it open`);
    killed = process.kill('SIGKILL');
  }
  await ended;
  const { queue } = begin();
  const found = queue.receive(Number.POSITIVE_INFINITY).map(({ body }) => Number(body));
  expect(found.length).toBeGreaterThanOrEqual(last);
  expect(found).toEqual(found.map((_, index) => index + 1));
});
