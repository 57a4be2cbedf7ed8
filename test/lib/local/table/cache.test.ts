import { expect, test } from 'vitest';
import { createCache } from '#lib/local/table/cache.ts';

/** A cache with 1,000 bytes per generation. An entry takes 200 bytes plus its size. */
const cacheOf = (...entries: [string, number][]) => {
  const cache = createCache<string>(1_000);
  const set = (key: string, size: number) => cache.set(key, key.toUpperCase(), size);
  for (const [key, size] of entries) set(key, size);
  const known = (...keys: string[]) => keys.filter((key) => cache.get(key) === key.toUpperCase());
  return { ...cache, set, known };
};

test('a cache keeps values until a second generation is full', () => {
  const { known, set } = cacheOf(['a', 300], ['b', 300]);
  // The first two fill a generation exactly. The third begins the next one.
  set('c', 0);
  set('d', 800);
  expect(known('a')).toEqual(['a']);
});

test('a cache drops values not used while a generation was filled', () => {
  const { known, set, get } = cacheOf(['a', 300], ['b', 300], ['c', 300]);
  expect(get('a')).toBe('A');
  set('d', 300);
  set('e', 300);
  expect(known('a', 'b', 'c', 'd', 'e')).toEqual(['a', 'd', 'e']);
});

test('a reused value is kept as long as a new one', () => {
  const { known, set, get } = cacheOf(['a', 300], ['b', 300], ['c', 300]);
  get('a');
  set('d', 300);
  set('e', 300);
  set('f', 800);
  expect(known('a')).toEqual(['a']);
});

test('a value set again replaces the earlier one and counts once', () => {
  const { known, set, get } = cacheOf(['a', 300]);
  for (let i = 0; i < 10; i++) set('b', 300);
  expect(known('a', 'b')).toEqual(['a', 'b']);
  const { set: setText, get: getText } = createCache<string>(1_000);
  setText('a', 'old', 900);
  setText('a', 'new', 0);
  expect([getText('a'), get('c')]).toEqual(['new', undefined]);
});

test('a removed value is missing from both generations and frees space', () => {
  const { known, remove, set } = cacheOf(['a', 300], ['b', 900]);
  set('c', 300);
  remove('a');
  remove('c');
  remove('never set');
  expect(known('a', 'c')).toEqual([]);
  set('d', 700);
  // `d` fits with 100 bytes to spare, so the older generation is still there.
  expect(known('b')).toEqual(['b']);
});

test('a cleared cache has no values, and has room for a whole generation', () => {
  const { known, clear, set } = cacheOf(['a', 300], ['b', 900], ['c', 700]);
  clear();
  expect(known('a', 'b', 'c')).toEqual([]);
  set('d', 300);
  set('e', 300);
  set('f', 800);
  set('g', 800);
  expect(known('f')).toEqual(['f']);
});
