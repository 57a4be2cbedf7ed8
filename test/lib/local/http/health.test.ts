import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { createHealth } from '#lib/local/http/health.ts';
import { noJournal } from '#lib/local/queue/journal.ts';
import { openQueues, queuesOf } from '#lib/local/queue/queues.ts';
import { openStorage } from '#lib/local/table/storage.ts';

const START = 1_790_000_000_000;
const created = async (dataDir: string, isFull = () => false) => {
  const clock = virtualClock(START);
  const { queues } = openQueues(noJournal, clock);
  return {
    clock,
    queues,
    ...createHealth({ dataDir, waiting: queues, mail: () => null, clock, exceptions: () => 3, isFull }),
  };
};
const event = { body: '{}', groupId: 'sensor', deduplicationId: '1' };

test('health reports OK, the number of exceptions, and null for an unused disk', async () => {
  const { health } = await created(':memory:');
  expect(await health()).toEqual({
    since: START,
    queues: 'OK',
    disk: null,
    mail: null,
    oldestWaitingSeconds: 0,
    exceptions: 3,
  });
});

test('health reports within 5 seconds that the disk is not writable', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
  const { health, clock } = await created(folder);
  expect((await health()).disk).toBe('OK');
  await rm(folder, { recursive: true });
  expect((await health()).disk).toBe('OK');
  await clock.advance(5_000);
  expect((await health()).disk).toBe('FAILING');
});

test.runIf(existsSync('/proc/self'))('health reports a disk without free space', async () => {
  expect((await (await created('/proc')).health()).disk).toBe('FULL');
});

test('health reports a full disk until a change can be stored again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
  let hasSpace = false;
  const { rows, turns, close } = openStorage(folder, { hasSpace: () => hasSpace });
  const { health } = await created(folder, turns.isFull);
  const write = () => turns.write(() => rows.put({ pk: 'p', sk: 's' }, 1));
  await expect(write()).rejects.toThrow();
  expect((await health()).disk).toBe('FULL');
  hasSpace = true;
  await write();
  await turns.kept();
  expect((await health()).disk).toBe('OK');
  await close();
  await rm(folder, { recursive: true });
});

test('health reports a queue that has been rejecting messages for a minute', async () => {
  const { health, clock, watched } = await created(':memory:');
  const failing = watched({ ...queuesOf({} as never), send: async () => Promise.reject(new Error('full')) });
  await expect(failing.send('events', [])).rejects.toThrow('full');
  expect((await health()).queues).toBe('FAILING');
  await clock.advance(60_000);
  expect((await health()).queues).toBe('OK');
});

test('health reports the age of the oldest event or first delivery, but ignores retries', async () => {
  const { health, clock, queues } = await created(':memory:');
  queues.deliveries.send({ body: '{}', delaySeconds: 900 });
  queues.retries.send({ body: '{}' });
  await clock.advance(30_000);
  expect((await health()).oldestWaitingSeconds).toBe(0);
  queues.events.send(event);
  await clock.advance(20_000);
  queues.events.receive(1);
  expect((await health()).oldestWaitingSeconds).toBe(20);
});
