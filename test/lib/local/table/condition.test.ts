import { describe, expect, test } from 'vitest';
import { parseCondition } from '#lib/local/table/condition.ts';
import type { Document, Value } from '#lib/local/table/values.ts';

/** Whether a condition is true for an item, with `:v` and `:w` as values. */
const holds = (text: string, item: Document, v: Value = null, w: Value = null): boolean =>
  parseCondition(text).run(item, { names: {}, values: { ':v': v, ':w': w } });
const big = 2n ** 60n;

describe('two values in a condition', () => {
  test.each<[Value, Value, boolean]>([
    [1, 1, true],
    [1, 2, false],
    [big, big, true],
    [1, '1', false],
    ['1', 1, false],
    [1, true, false],
    [0, null, false],
    [null, null, true],
    ['a', 'A', false],
    [[1, 'a'], [1, 'a'], true],
    [[1], [1, 2], false],
    [[1, 2], [1], false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{}, [], false],
    [null, {}, false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 2 }, false],
  ])('two values equal each other only in type and content: %s, %s', (a, b, expected) => {
    expect([holds('a = :v', { a }, b), holds('a <> :v', { a }, b), holds('a IN (:w, :v)', { a }, b, 'other')]).toEqual([
      expected,
      !expected,
      expected,
    ]);
  });

  test.each<[Value, Value, string]>([
    [1, 2, '< <='],
    [2, 2, '<= >='],
    [3, 2, '> >='],
    [big, 1, '> >='],
    ['a', 'b', '< <='],
    ['b', 'b', '<= >='],
    ['\u{1f600}', '\ufffd', '> >='],
    [1, '2', ''],
    ['1', 2, ''],
    [true, false, ''],
    [[1], [2], ''],
  ])('two values compare as numbers, or as strings by their bytes: %s, %s', (a, b, expected) => {
    expect(['<', '<=', '>', '>='].filter((operator) => holds(`a ${operator} :v`, { a }, b)).join(' ')).toBe(expected);
  });

  test('two values delimit an inclusive range if all compared values can be ordered', () => {
    const between = (a: Value, low: Value, high: Value) => holds('a BETWEEN :v AND :w', { a }, low, high);
    expect([between(1, 1, 3), between(3, 1, 3), between(0, 1, 3), between(4, 1, 3)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([between('2', 1, 3), between(2, 1, '3'), between(2, '1', 3)]).toEqual([false, false, false]);
  });
});

describe('a missing attribute', () => {
  test('a missing attribute equals nothing and has no order', () => {
    expect([
      holds('a = b', {}),
      holds('a = :v', {}, null),
      holds('a < :v', {}, 1),
      holds('a >= :v', {}, 1),
    ]).not.toContain(true);
    expect(holds('a <> :v', {}, 1)).toBe(true);
  });
  test('an attribute exists even if its value is null', () => {
    expect([holds('attribute_exists(a)', {}), holds('attribute_not_exists(a)', {})]).toEqual([false, true]);
    expect([holds('attribute_exists(a)', { a: null }), holds('attribute_not_exists(a)', { a: null })]).toEqual([
      true,
      false,
    ]);
  });
});

test('contains finds an element in a list or a substring in a string', () => {
  const contains = (a: Value, v: Value) => holds('contains(a, :v)', { a }, v);
  expect([
    contains([1, [2]], [2]),
    contains(['ab'], 'a'),
    contains('abc', 'bc'),
    contains('123', 2),
    contains({ b: 1 }, 'b'),
  ]).toEqual([true, false, true, false, false]);
});

test('NOT binds tighter than AND, and AND tighter than OR', () => {
  const item = { t: 1, f: 0 };
  const value = (text: string) => holds(text.replaceAll(/\b[tf]\b/g, '$& = :v'), item, 1);
  expect(
    [
      't AND t',
      't AND f',
      'f OR t',
      'f OR f',
      't OR f AND f',
      '(t OR f) AND f',
      'NOT f AND t',
      'NOT (t AND t)',
      'NOT NOT t',
    ].map(value),
  ).toEqual([true, false, true, false, true, false, true, false, true]);
});

test.each([
  '',
  'a',
  'a =',
  'a = :v b',
  'a ? :v',
  'a BETWEEN :v',
  'a IN ()',
  'begins_with(a, :v)',
  '(a = :v',
  'contains(a)',
])('rejects the condition %j', (text) => {
  expect(() => parseCondition(text)).toThrow();
});
