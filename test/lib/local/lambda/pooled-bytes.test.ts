import { expect, test } from 'vitest';
import { pooledBytes } from '#lib/local/lambda/pooled-bytes.ts';

test('pooledBytes never returns the same pool byte twice', () => {
  const random = pooledBytes();
  const all = Array.from({ length: 3_000 }, (_, at) => random(at % 40 === 0 ? 5_000 : 16));
  expect(all.map(({ length }) => length)).toEqual(all.map((_, at) => (at % 40 === 0 ? 5_000 : 16)));
  expect(new Set(all.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(3_000);
});
