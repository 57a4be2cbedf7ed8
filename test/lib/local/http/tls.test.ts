import { copyFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { virtualClock } from '#lib/local/clock.ts';
import { openTls } from '#lib/local/http/tls.ts';

const fixture = (name: string) => new URL(`../../../fixtures/${name}`, import.meta.url).pathname;
const START = 1_790_000_000_000;

let folder: string;
let files: { cert: string; key: string };
let stamp = START / 1_000;
/** Replaces the files the way a renewal does. */
const put = (cert: string, key: string): void => {
  copyFileSync(fixture(cert), files.cert);
  copyFileSync(fixture(key), files.key);
  stamp += 60;
  for (const file of Object.values(files)) utimesSync(file, stamp, stamp);
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sensor-cloud-'));
  files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  put('self-signed.crt', 'self-signed.key');
});
afterEach(() => rmSync(folder, { recursive: true }));

const watched = () => {
  const clock = virtualClock(START);
  const errors: string[] = [];
  const attached: Buffer[] = [];
  const tls = openTls(files, clock, (_, message) => void errors.push(message));
  tls.attach({ setSecureContext: ({ cert }) => void attached.push(cert) });
  return { tls, clock, errors, attached };
};

test('a renewed certificate is used within ten seconds and applied only once', async () => {
  const { tls, clock, errors, attached } = watched();
  await clock.advance(60_000);
  expect(attached).toEqual([]);
  put('stranger.crt', 'stranger.key');
  await clock.advance(10_000);
  expect([attached.length, tls.pair().cert]).toEqual([1, attached[0]]);
  await clock.advance(60_000);
  expect([attached.length, errors]).toEqual([1, []]);
});

test('a half-written renewal logs an error and keeps the previous certificate', async () => {
  const { tls, clock, errors, attached } = watched();
  const { cert } = tls.pair();
  put('stranger.crt', 'self-signed.key');
  await clock.advance(10_000);
  expect([attached, tls.pair().cert.equals(cert), errors.length]).toEqual([[], true, 1]);
  put('stranger.crt', 'stranger.key');
  await clock.advance(10_000);
  expect(attached).toHaveLength(1);
});

test('the host does not start with mismatched or invalid certificate files', () => {
  put('stranger.crt', 'self-signed.key');
  expect(() => watched()).toThrow();
  writeFileSync(files.cert, 'no certificate');
  expect(() => watched()).toThrow();
});
