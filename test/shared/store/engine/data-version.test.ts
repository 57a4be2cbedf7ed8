import { expect, test } from 'vitest';
import { nextVersion } from '#shared/store/engine/data-version.ts';

const DAY = 86_400_000;

test('a new table is written in the newest form at once', () => {
  expect(nextVersion(null, 0, 2)).toEqual({ dataVersion: 2 });
});

test('the form of a table is raised once a version has swept for 14 days', () => {
  const first = nextVersion({ dataVersion: 1 }, DAY, 2);
  expect(first).toEqual({ dataVersion: 1, raiseAt: 15 * DAY });
  expect(nextVersion(first, 15 * DAY - 1, 2)).toEqual(first);
  expect(nextVersion(first, 15 * DAY, 2)).toEqual({ dataVersion: 2 });
});

test('and 14 days anew where the version before came back meanwhile', () => {
  const back = nextVersion(nextVersion({ dataVersion: 1 }, DAY, 2), 2 * DAY, 1);
  expect(nextVersion(back, 16 * DAY, 2)).toEqual({ dataVersion: 1, raiseAt: 30 * DAY });
});

test('a newer form than that of the code stays noted', () => {
  expect(nextVersion({ dataVersion: 3 }, DAY, 2)).toEqual({ dataVersion: 3 });
});
