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

describe('an integer in JSON', () => {
  test.each(['0', '1', '30', '9007199254740991', ' 7 ', '4503599627370497'])('may be written as %s', (json) => {
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
  ])('cannot be written as %s, which is rejected and never rounded', (json) => {
    expect(isInt64(json)).toBe(false);
  });
  test('stays exact in objects and arrays, even next to texts that look like numbers', () => {
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

describe('a decimal in JSON', () => {
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
  ])('may be written as %s, and is rounded to three decimals', (json, value) => {
    expect(parsed(json)).toBe(value);
  });
  test.each(['-0.1', '1000.001', '1e400', '"1.5"', 'null', '[1.5]', '{"inexact":1.5}', 'true'])(
    'cannot be written as %s',
    (json) => {
      expect(parsed(json)).toBeUndefined();
    },
  );
});

describe('nesting', () => {
  test('may be at most 32 levels deep, and 33 or a million levels are rejected', () => {
    expect(parseJson(nested(32))).toHaveProperty('value');
    expect(parseJson(nested(33))).toEqual({ problem: 'json_depth' });
    expect(parseJson(nested(33, '{"a":', '}'))).toEqual({ problem: 'json_depth' });
    expect(parseJson('['.repeat(1_000_000))).toEqual({ problem: 'json_depth' });
  });
  test('ignores brackets within strings, whatever characters the strings escape', () => {
    expect(parseJson(JSON.stringify({ a: `${'['.repeat(99)}"\\` }))).toHaveProperty('value');
    expect(parseJson(JSON.stringify(['\\"', '{'.repeat(99)]))).toHaveProperty('value');
  });
});

describe('invalid JSON', () => {
  test.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '[1] 2', 'NaN', '01', '+1', '.5', '1.', '\u{feff}{}', '"\u0000"'])(
    '%j is rejected',
    (text) => {
      expect(parseJson(text)).toEqual({ problem: 'json' });
    },
  );
});

describe('keys such as __proto__', () => {
  test('change no prototype, neither of the value nor of all objects', () => {
    const parsed = parseJson('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1.5}');
    const value = 'value' in parsed ? parsed.value : null;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
  test('disappear when a schema parses the object', () => {
    const schema = z.object({ isAdmin: z.boolean().default(false) });
    const parsed = parseJson('{"__proto__":{"isAdmin":true},"constructor":1,"toString":2}');
    expect('value' in parsed && schema.parse(parsed.value)).toEqual({ isAdmin: false });
  });
  test('keep their last value if they are repeated', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ value: { a: 2 } });
  });
});
