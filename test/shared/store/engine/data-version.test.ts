import { expect, test } from 'vitest';
import { nextVersion } from '#shared/store/engine/data-version.ts';

const DAY = 86_400_000;

test('nextVersion starts a new table with the newest data version', () => {
  expect(nextVersion(null, 0, 2)).toEqual({ dataVersion: 2 });
});

test('nextVersion raises the data version after the new code has been sweeping for 14 days', () => {
  const first = nextVersion({ dataVersion: 1 }, DAY, 2);
  expect(first).toEqual({ dataVersion: 1, raiseAt: 15 * DAY });
  expect(nextVersion(first, 15 * DAY - 1, 2)).toEqual(first);
  expect(nextVersion(first, 15 * DAY, 2)).toEqual({ dataVersion: 2 });
});

test('nextVersion restarts the 14 days after a rollback', () => {
  const rolledBack = nextVersion(nextVersion({ dataVersion: 1 }, DAY, 2), 2 * DAY, 1);
  expect(nextVersion(rolledBack, 16 * DAY, 2)).toEqual({ dataVersion: 1, raiseAt: 30 * DAY });
});

test('nextVersion keeps a data version newer than the code', () => {
  expect(nextVersion({ dataVersion: 3 }, DAY, 2)).toEqual({ dataVersion: 3 });
});
