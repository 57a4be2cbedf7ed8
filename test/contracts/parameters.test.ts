import { expect, test } from 'vitest';
import type * as z from 'zod';
import type { Operation } from '#shared/api/operation.ts';
import { operations } from './operations.ts';

/** Bytes of a partition key at most; each `#` of a value takes three, each letter of some scripts four. */
const KEY_BYTES = 2_048;

const isTaken = (schema: z.ZodType, text: string) => schema.safeParse(text).data === text;

test('no parameter of a path or query is as long as a key, but a text that is searched for', () => {
  const takesAny = operations.flatMap(([name, { params, query }]: readonly [string, Operation]) =>
    Object.entries({ ...params?.shape, ...query?.shape })
      .filter(([, schema]) => ['𐐀', '#', 'x'].some((text) => isTaken(schema, text.repeat(KEY_BYTES / 8))))
      .map(([parameter]) => `${name}: ${parameter}`),
  );
  // It looks at what there is.
  expect(takesAny).toContain('listRules: searchText');
  expect(takesAny.filter((place) => !place.endsWith(': searchText'))).toEqual([]);
});
