import { expect, test } from 'vitest';

// Imported through a path the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/', import.meta.url).pathname;
type Hit = { id: number; createDate: number; updateDate: number; acknowledgement?: object };
type Hits = { hits: readonly Hit[]; changed: number };
const { merged } = (await import(`${folder}overview/hits.ts`)) as {
  merged: (known: Hits | undefined, found: readonly Hit[], now: number) => Hits;
};

const hitOf = (id: number, date: number): Hit => ({ id, createDate: date, updateDate: date });

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

test('changes dated in the future do not count as the newest', () => {
  const known = merged(undefined, [hitOf(1, NOW + HOUR)], NOW);
  expect(known.changed).toBe(NOW);
  expect(merged(known, [hitOf(2, NOW)], NOW).hits.map(({ id }) => id)).toEqual([2, 1]);
});

test('an acknowledgement replaces a hit version dated in the future', () => {
  const known = merged(undefined, [hitOf(1, NOW + HOUR)], NOW);
  const acknowledged = { ...hitOf(1, NOW + HOUR), updateDate: NOW, acknowledgement: {} };
  expect(merged(known, [acknowledged], NOW).hits).toEqual([acknowledged]);
  // Without a clock change, responses may still arrive out of order.
  const current = merged(undefined, [acknowledged], NOW);
  expect(merged(current, [hitOf(1, NOW - HOUR)], NOW).hits).toEqual([acknowledged]);
});
