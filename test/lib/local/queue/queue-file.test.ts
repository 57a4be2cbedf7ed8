import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createQueue, type QueueOptions } from '#lib/local/queue/queue.ts';
import { journalsIn } from '#lib/local/queue/queue-file.ts';
import { dataFileOf, openStorage } from '#lib/local/table/storage.ts';
import { copyOf } from '#test/fixtures/simulated-disk.ts';

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
/**
 * Simulates a process that starts at `at`, with a FIFO queue, a standard queue and their dead-letter queues in the
 * file.
 */
const startProcess = (at = START, more: Partial<QueueOptions> = {}) => {
  const disk = { isFull: false };
  const file = openStorage(dataDir, { hasSpace: () => !disk.isFull });
  cleanUps.push(file.close);
  const journalOf = journalsIn(file);
  const clock = virtualClock(at);
  const open = (name: string, kind: Partial<QueueOptions>) => {
    const limits = { visibilitySeconds: 30, maxReceiveCount: 1, clock, ...kind };
    const deadLetterQueue = createQueue({ name: `${name}-dead`, ...limits, journal: journalOf(`${name}-dead`) });
    return {
      deadLetterQueue,
      queue: createQueue({ name, ...limits, deadLetterQueue, journal: journalOf(name), ...more }),
    };
  };
  const calls = open('calls', { fifo: true });
  const send = async (...texts: string[]) => {
    for (const body of texts) calls.queue.send({ body, groupId: body.slice(0, 1), deduplicationId: body });
    await calls.queue.whenAccepted();
  };
  const take = () => calls.queue.receive(10).map(({ body }) => body);
  return { file, disk, clock, ...calls, tasks: open('tasks', {}).queue, send, take };
};

test('a queue file returns all remaining messages to the next process, visible, complete and in order', async () => {
  const first = startProcess();
  await first.send('a1', 'a2', 'b1', 'a3');
  const [a1, ...others] = first.queue.receive(10);
  first.queue.remove(a1?.receiptHandle ?? '');
  await first.file.close();
  const second = startProcess(START + 5_000);
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

test('a queue file continues a delay after a restart', async () => {
  const first = startProcess();
  first.tasks.send({ body: 'later', delaySeconds: 900 });
  first.tasks.send({ body: 'ungrouped' });
  await first.file.close();
  const { clock, tasks } = startProcess(START + 600_000);
  expect(tasks.receive(10)).toMatchObject([{ body: 'ungrouped' }]);
  await clock.advance(299_999);
  expect(tasks.receive(10).map(({ body }) => body)).not.toContain('later');
  await clock.advance(1);
  expect(tasks.receive(10)).toMatchObject([{ body: 'later' }]);
});

test('a queue file caps how long messages are hidden after the clock is set back', async () => {
  const first = startProcess(START + 86_400_000);
  await first.send('a1');
  first.tasks.send({ body: 'later', delaySeconds: 10 });
  await first.file.close();
  const { clock, tasks, take } = startProcess();
  expect(take()).toEqual(['a1']);
  await clock.advance(900_000);
  expect(tasks.receive(10)).toMatchObject([{ body: 'later' }]);
});

test('a queue file increases sequence numbers from process to process, even if no message was left', async () => {
  const numbers: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { file, queue, send } = startProcess();
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

test('a message removed before the next commit never reaches the file', async () => {
  const text = 'a text that is nowhere in the file';
  const first = startProcess();
  await first.send(text);
  const [message] = first.queue.receive(1);
  first.queue.remove(message?.receiptHandle ?? '');
  await first.file.turns.kept();
  expect([path, `${path}-wal`].filter((file) => readFileSync(file).includes(text))).toEqual([]);
  // A process killed now would leave these files behind.
  dataDir = copyOf(dataDir, folder);
  const second = startProcess();
  await second.send('b1');
  const [next] = second.queue.receive(1);
  expect([message, next].map((received) => Number(received?.attributes.SequenceNumber))).toEqual([1, 2]);
});

type Step = { queue: 'one' | 'two'; at: number; act: 'add' | 'remove' | 'clear' | 'kept' | 'restart' | 'cut' };
const actions = ['add', 'add', 'add', 'remove', 'remove', 'clear', 'kept', 'kept', 'restart', 'cut'] as const;
const steps = fc.array(
  fc.record({ queue: fc.constantFrom('one', 'two'), at: fc.nat(5), act: fc.constantFrom(...actions) }),
  { minLength: 5, maxLength: 30, size: 'max' },
);
/** The bodies in each queue by their number, plus the highest number assigned. */
type Model = { one: Map<number, string>; two: Map<number, string>; last: number };
const duplicateOf = ({ one, two, last }: Model): Model => ({ one: new Map(one), two: new Map(two), last });

test('a journal passes everything stored on to the next process', async () => {
  const run = async (series: readonly Step[]): Promise<void> => {
    let now = mkdtempSync(join(folder, 'any-'));
    let model: Model = { one: new Map(), two: new Map(), last: 0 };
    const open = () => {
      const file = openStorage(now);
      const journalOf = journalsIn(file);
      const journals = { one: journalOf('one'), two: journalOf('two') };
      const load = (name: 'one' | 'two') => new Map(journals[name].load().map((row) => [row.sequence, row.body]));
      expect([load('one'), load('two')]).toEqual([model.one, model.two]);
      return { file, journals };
    };
    let { file, journals } = open();
    let kept = { folder: copyOf(now, folder), model: duplicateOf(model) };
    const acts: Record<Step['act'], (queue: Step['queue'], at: number) => unknown> = {
      add: (queue) => {
        const sequence = journals[queue].nextSequence();
        expect(sequence).toBeGreaterThan(model.last);
        model.last = sequence;
        const body = `${queue} ${sequence}`;
        model[queue].set(sequence, body);
        const row = { sequence, body, messageId: 'm', groupId: undefined, deduplicationId: undefined };
        return journals[queue].add({ ...row, sentAt: 0, visibleAt: 0 });
      },
      remove: (queue, at) => {
        const sequence = [...model[queue].keys()][at];
        if (sequence === undefined) return;
        model[queue].delete(sequence);
        return journals[queue].remove(sequence);
      },
      clear: (queue) => {
        model[queue].clear();
        return journals[queue].clear();
      },
      kept: async () => {
        await file.turns.kept();
        kept = { folder: copyOf(now, folder), model: duplicateOf(model) };
      },
      restart: async () => {
        await file.close();
        ({ file, journals } = open());
      },
      cut: async () => {
        await file.close();
        now = copyOf(kept.folder, folder);
        model = duplicateOf(kept.model);
        ({ file, journals } = open());
      },
    };
    for (const { act, queue, at } of series) await acts[act](queue, at);
    await file.close();
  };
  await fc.assert(fc.asyncProperty(steps, run), { numRuns: 30 });
});

test('a queue file keeps queues separate, and purge empties only one', async () => {
  const first = startProcess();
  await first.send('a1');
  first.tasks.send({ body: 'task' });
  first.tasks.purge();
  await first.file.close();
  const second = startProcess();
  expect(second.tasks.receive(10)).toEqual([]);
  expect(second.take()).toEqual(['a1']);
});

test('a restart keeps messages in the queue they were moved to, dead-letter queues included', async () => {
  const first = startProcess();
  await first.send('a1', 'a2');
  first.queue.receive(10);
  await first.clock.advance(30_000);
  expect(first.take()).toEqual([]);
  await first.file.close();
  const second = startProcess();
  expect(second.queue.stats().visible).toBe(0);
  expect(second.deadLetterQueue.stats().visible).toBe(2);
  await second.send('a3');
  expect(second.queue.redrive()).toBe(2);
  await second.file.close();
  const third = startProcess();
  expect(third.deadLetterQueue.stats().visible).toBe(0);
  expect(third.take()).toEqual(['a3', 'a1', 'a2']);
});

test('a queue file leaves messages in place if a move cannot be stored', async () => {
  const first = startProcess();
  await first.send('a1', 'a2', 'a3');
  first.queue.receive(10);
  await first.clock.advance(30_000);
  first.queue.receive(10);
  await first.queue.whenAccepted();
  await first.file.turns.kept();
  first.disk.isFull = true;
  expect(first.queue.redrive()).toBe(3);
  // A move adds and removes messages in one transaction, so without space nothing is removed either.
  first.disk.isFull = false;
  await expect(first.queue.whenAccepted()).rejects.toThrow('could not write to the table');
  expect([first.deadLetterQueue.stats().visible, first.queue.stats().visible]).toEqual([3, 0]);
  await first.file.close();
  const second = startProcess();
  expect([second.deadLetterQueue.stats().visible, second.queue.stats().visible]).toEqual([3, 0]);
});

test('a queue file never returns a message that was not stored', async () => {
  const { disk, queue, send, take } = startProcess();
  disk.isFull = true;
  await expect(send('a1')).rejects.toThrow('could not write to the table');
  disk.isFull = false;
  expect([take(), queue.stats().visible]).toEqual([[], 0]);
  await send('a1');
  await send('a1');
  expect(take()).toEqual(['a1']);
});

test('a queue file stores removals in order and can be closed twice', async () => {
  const first = startProcess();
  await first.send('a1', 'a2');
  for (const { receiptHandle } of first.queue.receive(10)) first.queue.remove(receiptHandle);
  await first.file.close();
  await first.file.close();
  await expect(first.send('a3')).rejects.toThrow();
  expect(startProcess().take()).toEqual([]);
});

test('the host reports the name of an invalid or foreign data file', () => {
  const text = 'no database at all, but long enough to look like the header of something'.repeat(9);
  mkdirSync(dataDir);
  const refusal = () => openStorage(dataDir);
  writeFileSync(path, text);
  expect(refusal).toThrow(`cannot open ${path}: file is not a database; replace the data folder`);
  rmSync(path);
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE theirs (x)');
  other.close();
  const before = readFileSync(path);
  expect(refusal).toThrow(`cannot open ${path}: it belongs to another program`);
  expect(readFileSync(path).equals(before)).toBe(true);
  rmSync(path);
  mkdirSync(path);
  expect(refusal).toThrow('EISDIR');
});

test('a queue file can be read only by the owner', async () => {
  const { send } = startProcess();
  await send('a1');
  for (const suffix of ['', '-wal']) expect(statSync(path + suffix).mode & 0o077).toBe(0);
});

/** Spawns a process that sends one message after another and prints each number once it is stored. */
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
      if (i % 3 === 0) await storage.turns.kept().then(() => process.stdout.write(i + '\\n'));
    }
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
};

test('a queue file keeps sent messages after SIGKILL, and rejects a second process while in use', async () => {
  const process = sender();
  const ended = once(process, 'exit');
  cleanUps.push(() => void process.kill('SIGKILL'));
  if (!process.stdout) throw new Error('its output is piped');
  let last = 0;
  let killed = false;
  for await (const line of createInterface({ input: process.stdout })) {
    last = Number(line);
    if (last < 500 || killed) continue;
    expect(() => openStorage(dataDir)).toThrow(`cannot open ${path}: another process has it open`);
    killed = process.kill('SIGKILL');
  }
  await ended;
  expect(killed).toBe(true);
  const { queue } = startProcess();
  const found = queue.receive(Number.POSITIVE_INFINITY).map(({ body }) => Number(body));
  expect(found.length).toBeGreaterThanOrEqual(last);
  expect(found).toEqual(found.map((_, index) => index + 1));
});
