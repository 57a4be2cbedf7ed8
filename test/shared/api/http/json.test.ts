import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { parseJson } from '#shared/api/http/json.ts';
import { decimal } from '#shared/domain/decimal.ts';
import { int64 } from '#shared/domain/values.ts';

const isInt64 = (json: string): boolean => {
  const parsed = parseJson(json);
  return 'value' in parsed && int64.safeParse(parsed.value).success;
};
const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);

describe('JSON integers', () => {
  test.each(['0', '1', '30', '9007199254740991', ' 7 ', '4503599627370497'])('a JSON integer can be %s', (json) => {
    expect(isInt64(json)).toBe(true);
  });
  test.each([
    '1.0',
    '1.5',
    '1e0',
    '1E2',
    '1e-0',
    '10e-1',
    '0.0',
    '0e0',
    '-0',
    '-0.0',
    '-1',
    '1e400',
    '9007199254740992',
    '9007199254740993',
    '9223372036854775807',
    '12345678901234567890',
    '"1"',
    'null',
    'true',
    '[1]',
    '{}',
  ])('a JSON integer written as %s is rejected rather than rounded', (json) => {
    expect(isInt64(json)).toBe(false);
  });
  test('a JSON integer stays exact in objects and arrays, even next to number-like strings', () => {
    const schema = z.object({ a: z.array(int64), b: z.string() });
    const good = parseJson('{"a":[1,9007199254740991],"b":"1.0 1e0 -0 9007199254740993"}');
    expect('value' in good && schema.parse(good.value)).toEqual({
      a: [1, 9_007_199_254_740_991],
      b: '1.0 1e0 -0 9007199254740993',
    });
    const bad = parseJson('{"a":[1,1.0],"b":""}');
    expect('value' in bad && schema.safeParse(bad.value).success).toBe(false);
  });
});

describe('JSON decimals', () => {
  const meters = z.object({ x: decimal(0, 1_000) });
  const parsed = (x: string) => {
    const body = parseJson(`{"x":${x}}`);
    return 'value' in body ? meters.safeParse(body.value).data?.x : undefined;
  };
  test.each([
    ['0', 0],
    ['4.25', 4.25],
    ['1e2', 100],
    ['0.0004', 0],
    ['999.9999', 1_000],
    ['1e-320', 0],
  ])('a JSON decimal can be %s, and is rounded to three decimal places', (json, value) => {
    expect(parsed(json)).toBe(value);
  });
  test.each(['-0.1', '1000.001', '1e400', '"1.5"', 'null', '[1.5]', '{"inexact":1.5}', 'true'])(
    'a JSON decimal cannot be %s',
    (json) => {
      expect(parsed(json)).toBeUndefined();
    },
  );
});

describe('JSON nesting', () => {
  test('parseJson rejects JSON nested more than 32 levels deep', () => {
    expect(parseJson(nested(32))).toHaveProperty('value');
    expect(parseJson(nested(33))).toEqual({ problem: 'json_depth' });
    expect(parseJson(nested(33, '{"a":', '}'))).toEqual({ problem: 'json_depth' });
    expect(parseJson('['.repeat(1_000_000))).toEqual({ problem: 'json_depth' });
  });
  test('parseJson ignores brackets inside strings when checking the nesting depth', () => {
    expect(parseJson(JSON.stringify({ a: `${'['.repeat(99)}"\\` }))).toHaveProperty('value');
    expect(parseJson(JSON.stringify(['\\"', '{'.repeat(99)]))).toHaveProperty('value');
  });
});

describe('invalid JSON', () => {
  test.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '[1] 2', 'NaN', '01', '+1', '.5', '1.', '\u{feff}{}', '"\u0000"'])(
    'parseJson rejects %j',
    (text) => {
      expect(parseJson(text)).toEqual({ problem: 'json' });
    },
  );
});

describe('__proto__ and similar keys', () => {
  test('keys such as __proto__ do not change any prototype', () => {
    const parsed = parseJson('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1.5}');
    const value = 'value' in parsed ? parsed.value : null;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
  test('a schema drops keys such as __proto__', () => {
    const schema = z.object({ isAdmin: z.boolean().default(false) });
    const parsed = parseJson('{"__proto__":{"isAdmin":true},"constructor":1,"toString":2}');
    expect('value' in parsed && schema.parse(parsed.value)).toEqual({ isAdmin: false });
  });
  test('the last value wins for a repeated key', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ value: { a: 2 } });
  });
});
