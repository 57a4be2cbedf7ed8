import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasRoom, isFullDisk, noSpace } from '#lib/local/no-space.ts';

test("a full disk is recognized by system and SQLite codes, even in an error's cause", () => {
  const sqlite = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  const quota = Object.assign(new Error('quota'), { code: 'EDQUOT' });
  const other = Object.assign(new Error('I/O error'), { code: 'EIO', errcode: 10 });
  const found = [noSpace(), sqlite, quota, new Error('cannot open', { cause: sqlite }), other, 'full', undefined];
  expect(found.map(isFullDisk)).toEqual([true, true, true, true, false, false, false]);
});

test.runIf(existsSync('/proc/self'))('a file system that does not report sizes is assumed to have space', () => {
  expect([hasRoom('/proc'), hasRoom(import.meta.dirname)]).toEqual([true, true]);
});
