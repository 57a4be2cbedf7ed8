import { expect, test } from 'vitest';
import {
  copyOf,
  type Document,
  documentOf,
  duplicateOf,
  parseDocument,
  serializeDocument,
  sizeOf,
} from '#lib/local/table/values.ts';

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const nestedMaps = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

test('a copied value shares nothing with the original', () => {
  const source = { a: [1, undefined, { b: undefined, c: null }, () => 1], f: () => 1, u: undefined, t: true, s: '' };
  const copy = copyOf(source) as Document;
  expect(copy).toEqual({ a: [1, { c: null }], t: true, s: '' });
  expect(Object.keys(copy)).toEqual(['a', 't', 's']);
  expect([copy.a === source.a, (copy.a as unknown[])[1] === source.a[2]]).toEqual([false, false]);
});

test('a copy uses bigint only beyond the safe integer range', () => {
  expect(Object.is(copyOf(-0), 0)).toBe(true);
  expect([copyOf(5n), copyOf(-(2n ** 53n) + 1n), copyOf(2n ** 53n), copyOf(-(2n ** 53n))]).toEqual([
    5,
    -9_007_199_254_740_991,
    2n ** 53n,
    -(2n ** 53n),
  ]);
});

test('only numbers that the table can store exactly can be copied', () => {
  expect(
    [1e-130, -1e-130, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0.1].map((number) => copyOf(number)),
  ).toEqual([1e-130, -1e-130, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0.1]);
  expect(() => copyOf(9e-131)).toThrow('Number underflow');
  expect(() => copyOf(-9e-131)).toThrow('Number underflow');
  expect(() => copyOf(2 ** 53)).toThrow('Number 9007199254740992 is beyond the safe integers.');
  expect(() => copyOf(-(2 ** 53))).toThrow('Number -9007199254740992 is beyond the safe integers.');
  expect(() => copyOf(Number.NaN)).toThrow('Special numeric value NaN is not allowed');
  expect(() => copyOf(Number.POSITIVE_INFINITY)).toThrow('Special numeric value Infinity is not allowed');
});

test('a copy has at most 33 levels of lists or maps', () => {
  for (const levels of [nested, nestedMaps]) {
    expect(copyOf(levels(33))).toEqual(levels(33));
    expect(() => copyOf(levels(34))).toThrow('Nesting Levels have exceeded supported limits');
    expect(() => documentOf({ a: levels(34) })).toThrow('Nesting Levels have exceeded supported limits');
  }
});

test('only plain objects can be copied', () => {
  expect(copyOf(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
  expect(() => copyOf(new Map())).toThrow('Unsupported type passed: [object Map]');
  expect(() => copyOf({ constructor: { name: 'Other' } })).toThrow('Unsupported type passed: [object Object]');
  expect(() => copyOf(undefined)).toThrow('Unsupported type passed: [object Undefined]');
  expect(() => documentOf(JSON.parse('{"__proto__":1}'))).toThrow('Unsupported name passed: __proto__');
});

test('a duplicate item is equal, and shares no list or map with the original', () => {
  const item: Document = { n: 1, big: 2n ** 60n, none: null, list: [{ a: [1] }], map: { inner: { b: 'c' } } };
  const copy = duplicateOf(item);
  expect(copy).toEqual(item);
  const inner = (of: Document) => {
    const [first] = of.list as [Document];
    return [of, of.list, first, first.a, of.map, (of.map as Document).inner];
  };
  const before = inner(item);
  expect(inner(copy).some((value, at) => value === before[at])).toBe(false);
});

test.each<[Document, number]>([
  [{}, 0],
  [{ a: '' }, 1],
  [{ é: 'é' }, 4],
  [{ a: 0 }, 3],
  [{ a: 7 }, 4],
  [{ a: -7 }, 4],
  [{ a: 12 }, 4],
  [{ a: 123 }, 5],
  [{ a: 0.5 }, 4],
  [{ a: -12.34 }, 5],
  [{ a: 2n ** 60n }, 13],
  [{ a: -(2n ** 60n) }, 13],
  [{ a: null }, 2],
  [{ a: true, b: false }, 4],
  [{ a: [] }, 4],
  [{ a: ['x', 'yz'] }, 9],
  [{ a: {} }, 4],
  [{ a: { bc: 'd', e: null } }, 11],
])('the size of %o is what DynamoDB counts: %s bytes', (document, size) => {
  expect(sizeOf(document)).toBe(size);
});

test.each<Document>([
  { a: 'text 12345678901234567890', n: 1, none: null, list: [1.5, true, {}] },
  { a: 9_007_199_254_740_993n },
  { a: -9_007_199_254_740_993n, b: 1_000_000_000_000_000 },
  { list: [9_007_199_254_740_993n, 2, -9_007_199_254_740_993n] },
  { a: 9_007_199_254_740_991, b: -9_007_199_254_740_991, c: 9_007_199_254_740_992n, d: 'x:9007199254740993' },
])('a document is the same after being stored: %o', (document) => {
  expect(parseDocument(serializeDocument(document))).toEqual(document);
});
