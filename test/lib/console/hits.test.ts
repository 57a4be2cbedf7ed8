import { expect, test } from 'vitest';

// Imported by a path that the compiler does not see, because the console has other compiler settings.
const folder = new URL('../../../lib/console/', import.meta.url).pathname;
type Hit = { id: number; createDate: number; updateDate: number };
type Hits = { hits: readonly Hit[]; changed: number };
const { merged } = (await import(`${folder}overview/hits.ts`)) as {
  merged: (known: Hits | undefined, found: readonly Hit[], since: number) => Hits;
};

const hitOf = (id: number, date: number): Hit => ({ id, createDate: date, updateDate: date });

test('changes from before the clock of the service was set back are not newer than all others', () => {
  const now = Date.now();
  const known = merged(undefined, [hitOf(1, now + 86_400_000)], 0);
  expect(known.changed).toBeLessThanOrEqual(Date.now());
  expect(merged(known, [hitOf(2, now)], 0).hits.map(({ id }) => id)).toEqual([2, 1]);
});
