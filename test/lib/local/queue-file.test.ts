import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { virtualClock } from '../../../lib/local/clock.ts';
import { createQueue, type QueueOptions } from '../../../lib/local/queue.ts';
import { openQueueFile } from '../../../lib/local/queue-file.ts';

let folder: string;
let path: string;
const cleanUps: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'queues-'));
  path = join(folder, 'data', 'queues.sqlite');
  cleanUps.push(() => rmSync(folder, { recursive: true }));
});
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

const START = 1_000_000;
/** A process that begins at `at`: a FIFO queue and a standard one, with their dead-letter queues, in the file. */
const begin = (at = START, more: Partial<QueueOptions> = {}) => {
  const file = openQueueFile(path);
  cleanUps.push(file.close);
  const clock = virtualClock(at);
  const open = (name: string, kind: Partial<QueueOptions>) => {
    const limits = { visibilitySeconds: 30, maxReceiveCount: 1, clock, ...kind };
    const deadLetter = createQueue({ name: `${name}-dead`, ...limits, journal: file.journalOf(`${name}-dead`) });
    return { deadLetter, queue: createQueue({ name, ...limits, deadLetter, journal: file.journalOf(name), ...more }) };
  };
  const calls = open('calls', { fifo: true });
  const send = (...texts: string[]) => {
    for (const body of texts) calls.queue.send({ body, groupId: body.slice(0, 1), deduplicationId: body });
  };
  const take = () => calls.queue.receive(10).map(({ body }) => body);
  return { file, clock, ...calls, tasks: open('tasks', {}).queue, send, take };
};

test('queue file: the next process finds all messages that were not removed, visible, in order and complete', () => {
  const first = begin();
  first.send('a1', 'a2', 'b1', 'a3');
  const [a1, ...others] = first.queue.receive(10);
  first.queue.remove(a1?.receiptHandle ?? '');
  first.file.close();
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
  first.file.close();
  const { clock, tasks } = begin(START + 600_000);
  expect(tasks.receive(10)).toMatchObject([{ body: 'ungrouped' }]);
  await clock.advance(299_999);
  expect(tasks.receive(10).map(({ body }) => body)).not.toContain('later');
  await clock.advance(1);
  expect(tasks.receive(10)).toMatchObject([{ body: 'later' }]);
});

test('queue file: a clock that was set back hides no message for longer than the longest delay', async () => {
  const first = begin(START + 86_400_000);
  first.send('a1');
  first.tasks.send({ body: 'later', delaySeconds: 10 });
  first.file.close();
  const { clock, tasks, take } = begin();
  expect(take()).toEqual(['a1']);
  await clock.advance(900_000);
  expect(tasks.receive(10)).toMatchObject([{ body: 'later' }]);
});

test('queue file: sequence numbers grow from process to process, also when nothing was left', () => {
  const numbers: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { file, queue, send } = begin();
    send('a1');
    for (const { attributes, receiptHandle } of queue.receive(10)) {
      numbers.push(attributes.SequenceNumber ?? '');
      queue.remove(receiptHandle);
    }
    file.close();
  }
  expect(new Set(numbers).size).toBe(3);
  expect(numbers).toEqual(numbers.toSorted());
});

test('queue file: queues in one file are independent, and purge empties only one', () => {
  const first = begin();
  first.send('a1');
  first.tasks.send({ body: 'task' });
  first.tasks.purge();
  first.file.close();
  const second = begin();
  expect(second.tasks.receive(10)).toEqual([]);
  expect(second.take()).toEqual(['a1']);
});

test('queue file: moves to the dead letters and back survive a restart', async () => {
  const first = begin();
  first.send('a1', 'a2');
  first.queue.receive(10);
  await first.clock.advance(30_000);
  expect(first.take()).toEqual([]);
  first.file.close();
  const second = begin();
  expect(second.queue.stats().visible).toBe(0);
  expect(second.deadLetter.stats().visible).toBe(2);
  second.send('a3');
  expect(second.queue.redrive()).toBe(2);
  second.file.close();
  const third = begin();
  expect(third.deadLetter.stats().visible).toBe(0);
  expect(third.take()).toEqual(['a3', 'a1', 'a2']);
});

test('queue file: a move that fails leaves the file unchanged', async () => {
  const first = begin();
  first.send('a1', 'a2', 'a3');
  first.queue.receive(10);
  await first.clock.advance(30_000);
  first.queue.receive(10);
  const { send } = first.queue;
  let sent = 0;
  first.queue.send = (message) => {
    sent += 1;
    if (sent === 2) throw new Error('no space left');
    send(message);
  };
  expect(() => first.queue.redrive()).toThrow('no space left');
  await setImmediate();
  first.file.close();
  const second = begin();
  expect(second.deadLetter.stats().visible).toBe(3);
  expect(second.queue.stats().visible).toBe(0);
});

test('queue file: removals reach the file asynchronously, and closing twice does nothing', async () => {
  const first = begin();
  first.send('a1', 'a2');
  for (const { receiptHandle } of first.queue.receive(10)) first.queue.remove(receiptHandle);
  await setImmediate();
  await setImmediate();
  first.file.close();
  first.file.close();
  expect(() => first.send('a3')).toThrow();
  expect(begin().take()).toEqual([]);
});

test('queue file: an invalid file, a file of another program, or a folder is refused by a sentence that names it', () => {
  writeFileSync(
    join(folder, 'text'),
    'no database at all, but long enough to look like the header of something'.repeat(9),
  );
  const other = new DatabaseSync(join(folder, 'other'));
  other.exec('CREATE TABLE theirs (x)');
  other.close();
  const before = readFileSync(join(folder, 'other'));
  for (const [name, why] of [
    ['text', 'file is not a database'],
    ['other', 'it is not a file of queues'],
    ['', 'EISDIR'],
  ] as const) {
    const file = join(folder, name);
    expect(() => openQueueFile(file)).toThrow(`the queues cannot be kept in ${file}: `);
    expect(() => openQueueFile(file)).toThrow(why);
  }
  expect(readFileSync(join(folder, 'other')).equals(before)).toBe(true);
});

test('queue file: only its user can read it', () => {
  const { send } = begin();
  send('a1');
  for (const suffix of ['', '-wal']) expect(statSync(path + suffix).mode & 0o077).toBe(0);
});

/** A process of its own that sends one message after the other, and says so after each. */
const sender = (): ChildProcess => {
  const at = (name: string) => JSON.stringify(new URL(`../../../lib/local/${name}.ts`, import.meta.url).href);
  const code = `
    const { openQueueFile } = await import(${at('queue-file')});
    const { createQueue } = await import(${at('queue')});
    const { systemClock: clock } = await import(${at('clock')});
    const journal = openQueueFile(${JSON.stringify(path)}).journalOf('calls');
    const queue = createQueue({ name: 'calls', fifo: true, visibilitySeconds: 30, maxReceiveCount: 1, clock, journal });
    for (let i = 1; ; i += 1) {
      queue.send({ body: String(i), groupId: 'a', deduplicationId: String(i) });
      process.stdout.write(i + '\\n');
      if (i % 20 === 0) await new Promise(setImmediate);
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
    expect(() => openQueueFile(path)).toThrow(`the queues cannot be kept in ${path}: another process has it open`);
    killed = process.kill('SIGKILL');
  }
  await ended;
  const { queue } = begin();
  const found = queue.receive(Number.POSITIVE_INFINITY).map(({ body }) => Number(body));
  expect(found.length).toBeGreaterThanOrEqual(last);
  expect(found).toEqual(found.map((_, index) => index + 1));
});
