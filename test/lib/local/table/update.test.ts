import { describe, expect, test } from 'vitest';
import { parseUpdate } from '#lib/local/table/update.ts';
import { type Document, duplicateOf } from '#lib/local/table/values.ts';

const values = { ':v': 'v', ':one': 1, ':ten': 10, ':none': null, ':list': ['x'], ':map': { m: 1 } };
/** Returns the item after an update, and the names of the attributes set. */
const updated = (text: string, item: Document = {}) => {
  const changed = duplicateOf(item);
  const set = parseUpdate(text).run(changed, { names: { '#a': 'a', '#m': 'm' }, values });
  return { item: changed, set };
};
const big = 2n ** 53n;

describe('an update', () => {
  test.each<[string, Document, Document, string[]]>([
    ['SET a = :v', {}, { a: 'v' }, ['a']],
    ['set a = :none', { a: 1 }, { a: null }, ['a']],
    ['SET #a = b, c = #a', { a: 'A', b: 'B' }, { a: 'B', b: 'B', c: 'A' }, ['a', 'c']],
    ['SET a = b + c', { b: 2, c: 3 }, { a: 5, b: 2, c: 3 }, ['a']],
    ['SET a = a + :ten', { a: -3 }, { a: 7 }, ['a']],
    ['SET a = if_not_exists(a, :one) + :ten', {}, { a: 11 }, ['a']],
    ['SET a = if_not_exists(a, :v)', { a: null }, { a: null }, ['a']],
    ['SET a = if_not_exists(b, :v)', { b: 'B' }, { a: 'B', b: 'B' }, ['a']],
    ['SET a = list_append(a, :list)', { a: [1] }, { a: [1, 'x'] }, ['a']],
    ['SET a = list_append(:list, if_not_exists(a, :list))', {}, { a: ['x', 'x'] }, ['a']],
    ['SET b.#m = :v', { b: { n: 1 } }, { b: { n: 1, m: 'v' } }, ['b']],
    ['SET a[0] = :v', { a: [1, 2] }, { a: ['v', 2] }, ['a']],
    ['SET a[2].b = :v', { a: [1, 2, { b: 3 }] }, { a: [1, 2, { b: 'v' }] }, ['a']],
    ['SET a[7] = :v', { a: [1] }, { a: [1, 'v'] }, ['a']],
    ['ADD a :ten', {}, { a: 10 }, ['a']],
    ['ADD a :ten, b :one', { a: 5 }, { a: 15, b: 1 }, ['a', 'b']],
    ['ADD a b', { a: 5, b: 2 }, { a: 7, b: 2 }, ['a']],
    ['REMOVE a', { a: 1, b: 2 }, { b: 2 }, []],
    ['REMOVE c', { a: 1 }, { a: 1 }, []],
    ['REMOVE b.m', { b: { m: 1, n: 2 } }, { b: { n: 2 } }, []],
    ['REMOVE a[0], a[2]', { a: [1, 2, 3, 4] }, { a: [2, 4] }, []],
    ['REMOVE a[2], b, a[0], a[10]', { a: [1, 2, 3, 4], b: 1 }, { a: [2, 4] }, []],
    ['REMOVE a[1]', { a: [1] }, { a: [1] }, []],
    ['SET a = :v REMOVE b ADD c :one', { b: 1 }, { a: 'v', c: 1 }, ['a', 'c']],
    ['REMOVE b SET a = b', { b: 1 }, { a: 1 }, ['a']],
    ['SET a.b = :v, a.c = :v', { a: {} }, { a: { b: 'v', c: 'v' } }, ['a', 'a']],
    ['SET a[0] = :v, a[1] = :v', { a: [1, 2] }, { a: ['v', 'v'] }, ['a', 'a']],
  ])('an update changes an item as DynamoDB does: %s', (text, before, after, set) => {
    expect(updated(text, before)).toEqual({ item: after, set });
  });

  test('an update adds integers exactly, even beyond the safe range, up to 38 digits', () => {
    expect(updated('ADD n :one', { n: big }).item).toEqual({ n: big + 1n });
    expect(updated('SET n = n + :one', { n: -big }).item).toEqual({ n: -9_007_199_254_740_991 });
    expect(updated('ADD n m', { n: 10n ** 37n, m: 10n ** 37n }).item).toEqual({ n: 2n * 10n ** 37n, m: 10n ** 37n });
    expect(() => updated('ADD n :one', { n: 10n ** 38n - 1n })).toThrow('Number overflow');
  });

  test('an update never stores the same object twice', () => {
    const { item } = updated('SET a = :map, b = :map');
    expect(item).toEqual({ a: { m: 1 }, b: { m: 1 } });
    expect([item.a === item.b, item.a === values[':map']]).toEqual([false, false]);
  });

  test('an update reports the placeholders it uses', () => {
    expect([...parseUpdate('SET #a = :v, b = :one REMOVE #c').used]).toEqual(['#a', ':v', ':one', '#c']);
  });
});

describe('an update that does not fit its item', () => {
  const wrongType = 'An operand in the update expression has an incorrect data type';
  const missing = 'The provided expression refers to an attribute that does not exist in the item';
  const misplaced = 'The document path provided in the update expression is invalid for update';
  test.each<[string, Document, string]>([
    ['SET a = a + :ten', { a: '1' }, wrongType],
    ['SET a = :ten + a', { a: null }, wrongType],
    ['ADD a :v', {}, wrongType],
    ['ADD a :ten', { a: [] }, wrongType],
    ['ADD a :one', { a: 0.5 }, 'the local table can only add integers'],
    ['SET a = list_append(a, :v)', { a: [] }, wrongType],
    ['SET a = list_append(:v, a)', { a: [] }, wrongType],
    ['SET a = list_append(b, :list)', {}, missing],
    ['SET a = list_append(:list, b)', {}, missing],
    ['SET a = b', {}, missing],
    ['SET a = b + :ten', {}, missing],
    ['SET a = :ten + b', {}, missing],
    ['SET a = if_not_exists(b, c)', {}, missing],
    ['SET a.b = :v', {}, misplaced],
    ['SET a.b = :v', { a: null }, misplaced],
    ['SET a.b = :v', { a: 'text' }, misplaced],
    ['SET a.b = :v', { a: [] }, misplaced],
    ['SET a[0] = :v', { a: {} }, misplaced],
    ['SET a.b.c = :v', { a: {} }, misplaced],
    ['REMOVE a.b', {}, misplaced],
    ['REMOVE a[0]', { a: {} }, misplaced],
  ])('an update fails only for this item: %s, %o', (text, item, message) => {
    expect(() => updated(text, item)).toThrow(
      expect.objectContaining({ name: 'ValidationException', message, isOfItem: true }),
    );
  });
});

describe('an update that DynamoDB rejects', () => {
  const invalid = (text: string, at: string) => `Invalid expression: ${text}, at ${at}`;
  const overlap = 'Two document paths overlap with each other; must remove or rewrite one of these paths';
  test.each<[string, string]>([
    ['', invalid('', 'its end')],
    ['a = :v', invalid('a = :v', 'a')],
    ['SET', invalid('SET', 'its end')],
    ['SET a', invalid('SET a', 'its end')],
    ['SET a = ', invalid('SET a = ', 'its end')],
    ['SET a = :v,', invalid('SET a = :v,', 'its end')],
    ['SET a = :v SET b = :v', invalid('SET a = :v SET b = :v', 'b')],
    ['SET a = :v b = :v', invalid('SET a = :v b = :v', 'b')],
    ['SET a = list_append(a, :list', invalid('SET a = list_append(a, :list', 'its end')],
    ['SET a = list_append(a)', invalid('SET a = list_append(a)', ')')],
    ['SET a = :one + :one + :one', invalid('SET a = :one + :one + :one', '+')],
    ['REMOVE :v', invalid('REMOVE :v', ':v')],
    ['ADD a = :one', invalid('ADD a = :one', '=')],
    ['ADD a.b :one', 'ADD supports only top-level attributes'],
    ['SET a = size(b, :v)', 'the local table does not support the function size'],
    ['SET a = :v REMOVE a', overlap],
    ['SET a = :map, a.b = :v', overlap],
    ['SET a.b = :v, a = :map', overlap],
    ['SET a = :v, #a = :one', overlap],
    ['REMOVE a[0], a[0]', overlap],
    ['SET a = #unknown', 'An expression attribute name used in the document path is not defined; #unknown'],
    ['SET a = :unknown', 'An expression attribute value used in expression is not defined; :unknown'],
  ])('an update fails for every item: %j', (text, message) => {
    const item = { a: { b: 1 } };
    const run = () => updated(text, item);
    expect(run).toThrow(expect.objectContaining({ name: 'ValidationException', message }));
    expect(run).not.toThrow(expect.objectContaining({ isOfItem: true }));
  });
});
