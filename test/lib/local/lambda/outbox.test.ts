import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMessageFolder } from '#lib/local/lambda/outbox.ts';

test('a message is written to the outbox as a file that only the owner can read', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'messages-'));
  try {
    const send = createMessageFolder({ dataDir, now: () => 7, say: () => expect.unreachable() });
    await Promise.all([send('+491701234567', 'Fall in room 7\nat 12:00'), send('-100', 'x')]);
    const names = readdirSync(join(dataDir, 'outbox'));
    const paths = names.map((name) => join(dataDir, 'outbox', name));
    expect(names).toEqual(Array(2).fill(expect.stringMatching(/^7-[\w-]+\.txt$/)));
    const texts = paths.map((path) => readFileSync(path, 'utf8')).toSorted();
    expect(texts).toEqual(['To: +491701234567\n\nFall in room 7\nat 12:00\n', 'To: -100\n\nx\n'].toSorted());
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('a message is printed if there is no data folder', async () => {
  const lines: string[] = [];
  await createMessageFolder({ dataDir: ':memory:', now: () => 7, say: (line) => void lines.push(line) })('-100', 'x');
  expect(lines).toEqual(['message to -100: x']);
});
