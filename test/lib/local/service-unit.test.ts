import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const guide = readFileSync(new URL('../../../lib/local/README.md', import.meta.url), 'utf8');
const unit = /```ini\n(\[Unit\][^`]*)```/.exec(guide)?.[1] ?? '';
const valuesOf = (name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].flatMap(([, value = '']) => value.split(' '));

test('the systemd unit in the guide starts the service after clock synchronization', () => {
  for (const name of ['After', 'Wants']) expect(valuesOf(name)).toEqual(['network-online.target', 'time-sync.target']);
});

test('the systemd unit in the guide allows writes to only one folder', () => {
  expect([valuesOf('ProtectSystem'), valuesOf('ReadWritePaths')]).toEqual([['strict'], ['/var/lib/sensor-cloud']]);
  expect(valuesOf('Environment')).toContain('DATA_DIR=/var/lib/sensor-cloud/data');
  // Otherwise, Node.js could neither list the machine's addresses nor compile code.
  expect(valuesOf('RestrictAddressFamilies')).toEqual(expect.arrayContaining(['AF_INET', 'AF_INET6', 'AF_NETLINK']));
  expect(valuesOf('MemoryDenyWriteExecute')).toEqual([]);
});

/** The first systemd version that can analyze a unit without installing it. */
const OFFLINE_SINCE = 250;
const analyze = '/usr/bin/systemd-analyze';
const version = existsSync(analyze)
  ? Number(/systemd (\d+)/.exec(execFileSync(analyze, ['--version'], { encoding: 'utf8' }))?.[1])
  : 0;

test.runIf(version >= OFFLINE_SINCE)("systemd rates the exposure of the guide's unit below 3", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'sensor-cloud.service');
  await writeFile(file, unit);
  const text = execFileSync(analyze, ['security', '--offline=true', '--no-pager', file], { encoding: 'utf8' });
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1]);
  expect(exposure).toBeLessThan(3);
});
