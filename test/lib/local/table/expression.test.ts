import { expect, test } from 'vitest';
import { cachedParser, listOf, namesOf, type Path, valueAt } from '#lib/local/table/expression.ts';

const paths = cachedParser((reader) => listOf(reader, () => reader.path()));
const names = { '#n': 'a.b', '#l': 'length' };

test.each<[string, Path[]]>([
  ['a', [['a']]],
  ['  a_1 ,B2.c ', [['a_1'], ['B2', 'c']]],
  ['a.#n[0][12].c,#l', [['a', 'a.b', 0, 12, 'c'], ['length']]],
])('a path consists of names, placeholders and indexes: %j', (text, expected) => {
  const { run, used } = paths(text);
  expect(run.map((path) => namesOf(path, { names, values: {} }))).toEqual(expected);
  expect([...used]).toEqual(['#n', '#l'].filter((name) => text.includes(name)));
});

test.each<[string, string]>([
  ['', 'Invalid expression: , at its end'],
  ['a b', 'Invalid expression: a b, at b'],
  ['a.', 'Invalid expression: a., at its end'],
  ['a[b]', 'Invalid expression: a[b], at b'],
  ['a[1', 'Invalid expression: a[1, at its end'],
  ['a[1x]', 'Invalid expression: a[1x], at 1x'],
  ['1a', 'Invalid expression: 1a, at 1a'],
  ['_a', 'Invalid expression: _a, at _a'],
  [':v', 'Invalid expression: :v, at :v'],
  ['a,', 'Invalid expression: a,, at its end'],
  ['a ; b', 'Invalid expression: a ; b'],
  ['# n', 'Invalid expression: # n'],
  ['Name', 'Attribute name is a reserved keyword: Name'],
  ['a.size', 'Attribute name is a reserved keyword: size'],
])('a path that DynamoDB would reject is invalid: %j', (text, message) => {
  expect(() => paths(text)).toThrow(expect.objectContaining({ name: 'ValidationException', message }));
  // A string rejected once is rejected again.
  expect(() => paths(text)).toThrow(message);
});

test('a placeholder needs a name', () => {
  expect(() => namesOf(['a', '#x'], { names, values: {} })).toThrow(
    'An expression attribute name used in the document path is not defined; #x',
  );
});

test('a reader recognizes a function call or a value only at the current position', () => {
  const read = cachedParser((reader) => {
    const found: unknown[] = [reader.call(), reader.isValue(), reader.isNext('F', 'G')];
    reader.expect('F');
    found.push(reader.call(), reader.isValue());
    reader.expect('(');
    found.push(reader.call(), reader.isValue(), reader.value(), reader.isValue(), reader.call(), reader.isAtEnd());
    reader.expect(')');
    found.push(reader.call(), reader.isValue(), reader.isNext('F'), reader.isAtEnd());
    return found;
  });
  const { run, used } = read('f(:v)');
  expect(run).toEqual(['f', false, true, null, false, null, true, ':v', false, null, false, null, false, false, true]);
  expect([...used]).toEqual([':v']);
});

test('an expression is parsed only once', () => {
  let parsed = 0;
  const parse = cachedParser((reader) => {
    parsed += 1;
    return reader.path();
  });
  expect([parse('a'), parse('a'), parse('b')].map(({ run }) => run)).toEqual([['a'], ['a'], ['b']]);
  expect(parsed).toBe(2);
});

test('a value is found only at its own path', () => {
  const item = { a: [1, { b: null }], text: 'abc', map: { 0: 'zero', a: 'A' } };
  const found = (...path: Path) => valueAt(item, path);
  expect([found(), found('a', 0), found('a', 1, 'b'), found('map', 'a')]).toEqual([item, 1, null, 'A']);
  expect([
    found('b'),
    found('a', 2),
    found('a', 'length'),
    found('a', '0'),
    found('a', 1, 'b', 'c'),
    found('map', 0),
    found('map', 'toString'),
    found('text', 'length'),
    found('text', 0),
  ]).toEqual(Array(9).fill(undefined));
});
