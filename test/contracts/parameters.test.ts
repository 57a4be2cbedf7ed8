import { expect, test } from 'vitest';
import type * as z from 'zod';
import type { Operation } from '#shared/api/operation.ts';
import { operations } from './operations.ts';

/**
 * The maximum size of a partition key in bytes. Each `#` in a value takes three bytes, and each character in some
 * scripts takes four.
 */
const KEY_BYTES = 2_048;

const isAccepted = (schema: z.ZodType, text: string) => schema.safeParse(text).data === text;

test('no path or query parameter except searchText can exceed the maximum key length', () => {
  const unbounded = operations.flatMap(([name, { params, query }]: readonly [string, Operation]) =>
    Object.entries({ ...params?.shape, ...query?.shape })
      .filter(([, schema]) => ['𐐀', '#', 'x'].some((text) => isAccepted(schema, text.repeat(KEY_BYTES / 8))))
      .map(([parameter]) => `${name}: ${parameter}`),
  );
  // Proves that the check finds unbounded parameters.
  expect(unbounded).toContain('listRules: searchText');
  expect(unbounded.filter((parameter) => !parameter.endsWith(': searchText'))).toEqual([]);
});
