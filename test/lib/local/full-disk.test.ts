import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock, virtualClock } from '#lib/local/clock.ts';
import { fullDiskPages, openOnceRoom } from '#lib/local/full-disk.ts';
import { createHttpServer } from '#lib/local/http/http-server.ts';
import { listen } from '#lib/local/http/listening.ts';
import { noSpace } from '#lib/local/no-space.ts';
import { optionsFrom } from '#lib/local/options.ts';

const opening = (open: () => string, dataDir: string, canWrite?: () => boolean) => {
  const clock = virtualClock(0);
  const seen = { full: 0, opened: null as string | null };
  const onFull = () => {
    seen.full += 1;
  };
  const done = openOnceRoom(dataDir, open, { clock, onFull, ...(canWrite && { canWrite }) }).then((opened) => {
    seen.opened = opened;
  });
  return { clock, seen, done };
};

test('a host opens its data at once on a disk with space, and in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'room-'));
  for (const dataDir of [join(folder, 'new'), ':memory:']) {
    const { seen, done } = opening(() => 'data', dataDir);
    await done;
    expect(seen).toEqual({ full: 0, opened: 'data' });
  }
  await rm(folder, { recursive: true });
});

test('a host waits on a full disk, reports it once, and opens the data when space frees up', async () => {
  let isFull = true;
  const { clock, seen, done } = opening(
    () => 'data',
    'a folder',
    () => !isFull,
  );
  await clock.advance(60_000);
  expect(seen).toEqual({ full: 1, opened: null });
  isFull = false;
  await clock.advance(5_000);
  await done;
  expect(seen).toEqual({ full: 1, opened: 'data' });
});

test('a host waits if the disk is full when it opens the data', async () => {
  let problem: Error | null = new Error('cannot open', { cause: noSpace() });
  const open = () => {
    if (problem) throw problem;
    return 'data';
  };
  const { clock, seen, done } = opening(open, 'a folder', () => true);
  await clock.advance(0);
  expect(seen).toEqual({ full: 1, opened: null });
  problem = null;
  await clock.advance(5_000);
  await done;
  expect(seen.opened).toBe('data');
  problem = new Error('it is damaged');
  await expect(opening(open, 'a folder', () => true).done).rejects.toThrow('it is damaged');
});

test('a host waiting for space reports a full disk in health, with details only for local programs', async () => {
  const server = createHttpServer({ version: '1', onError: () => undefined });
  const settings = { ...optionsFrom({ DATA_DIR: ':memory:' }).settings, TRUSTS_LOOPBACK: true };
  server.open(fullDiskPages(settings, systemClock));
  const { local } = await listen(server.server, { host: '127.0.0.1', port: 0, scheme: 'http', variable: 'PORT' });
  const health = await fetch(`${local}/api/v1/health`);
  expect([health.status, await health.json()]).toEqual([
    503,
    expect.objectContaining({ status: 'FAILING', disk: 'FULL' }),
  ]);
  const proxied = await fetch(`${local}/api/v1/health`, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
  expect([proxied.status, await proxied.json()]).toEqual([503, { status: 'FAILING' }]);
  const other = await fetch(`${local}/api/v1/users/me`);
  expect([other.status, other.headers.get('retry-after')]).toEqual([503, '5']);
  server.server.close();
  server.server.closeAllConnections();
});
