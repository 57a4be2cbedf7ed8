import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openStorage } from '#lib/local/table/storage.ts';
import type { Document } from '#lib/local/table/values.ts';
import { prepareDelete, preparePut, prepareUpdate, transact } from '#lib/local/table/writes.ts';

const { rows, turns, close } = openStorage(':memory:', { freezes: true });
afterAll(close);
const Key = { pk: 'p', sk: 's' };
const other = { pk: 'p', sk: 'other' };
const before = { ...Key, n: 1, texts: ['a'] };
beforeEach(() =>
  turns.write(() => {
    rows.remove(other.pk, other.sk);
    rows.put(before, 20);
  }),
);
const stored = (key = Key) => rows.get(key.pk, key.sk);
const values = (more: object) => ({ ExpressionAttributeValues: more });
const failed = expect.objectContaining({ name: 'ConditionalCheckFailedException' });
const isOne = { ConditionExpression: 'n = :one', ...values({ ':one': 1 }) };
const isTwo = { ConditionExpression: 'n = :two', ...values({ ':two': 2 }) };

describe('a put', () => {
  test('a put replaces the item only if the condition is met', () => {
    expect(() => preparePut(rows, { Item: { ...Key, n: 5 }, ...isTwo })).toThrow(failed);
    expect(stored()).toEqual(before);
    expect(preparePut(rows, { Item: { ...Key, n: 5 }, ...isOne }).apply()).toEqual({});
    expect([stored(), rows.find('p', 's')?.size]).toEqual([{ ...Key, n: 5 }, 10]);
  });

  test('a put evaluates a condition on a missing item as if the item had no attributes', () => {
    const Item = { ...other, n: 5 };
    expect(() => preparePut(rows, { Item, ...isOne })).toThrow(failed);
    preparePut(rows, { Item, ConditionExpression: 'attribute_not_exists(pk)' }).apply();
    expect(() => preparePut(rows, { Item, ConditionExpression: 'attribute_not_exists(pk)' })).toThrow(failed);
    expect(stored(other)).toEqual(Item);
  });

  test('a put stores a copy, unaffected by later changes to the passed item', () => {
    const Item = { ...other, list: [1] };
    preparePut(rows, { Item }).apply();
    Item.list.push(2);
    expect(stored(other)).toEqual({ ...other, list: [1] });
  });
});

describe('an update', () => {
  const change = { Key, UpdateExpression: 'SET n = n + :v, a = :v REMOVE texts', ...values({ ':v': 2 }) };
  test('an update changes the item only if the condition is met', () => {
    const conditional = (ConditionExpression: string) => ({ ...change, ConditionExpression });
    expect(() => prepareUpdate(rows, conditional('n = :v'))).toThrow(failed);
    const prepared = prepareUpdate(rows, conditional('n < :v'));
    expect(stored()).toEqual(before);
    expect(prepared.apply()).toEqual({});
    expect([stored(), rows.find('p', 's')?.size]).toEqual([{ ...Key, n: 3, a: 2 }, 14]);
  });

  test.each<[string | undefined, object]>([
    [undefined, {}],
    ['NONE', {}],
    ['ALL_OLD', { Attributes: before }],
    ['ALL_NEW', { Attributes: { ...Key, n: 3, a: 2 } }],
    ['UPDATED_NEW', { Attributes: { n: 3, a: 2 } }],
  ])('an update returns what ReturnValues %s asks for', (ReturnValues, result) => {
    expect(prepareUpdate(rows, { ...change, ReturnValues }).apply()).toEqual(result);
  });

  test('an update creates a missing item, without old values', () => {
    const create = { Key: other, UpdateExpression: 'SET a = :v', ...values({ ':v': 1 }), ReturnValues: 'ALL_OLD' };
    expect(prepareUpdate(rows, create).apply()).toEqual({});
    expect(stored(other)).toEqual({ ...other, a: 1 });
  });

  test.each([
    ['SET sk = :v', { ':v': 's' }],
    ['SET sk = :v', { ':v': 'x' }],
    ['SET pk = :v', { ':v': 'p' }],
    ['REMOVE sk', undefined],
    ['REMOVE pk', undefined],
  ])('an update cannot change the key: %s', (UpdateExpression, more) => {
    expect(() => prepareUpdate(rows, { Key, UpdateExpression, ...(more && values(more)) })).toThrow(
      'Cannot update attribute. This attribute is part of the key',
    );
  });

  test('an update rejects return values that the store does not use', () => {
    expect(() => prepareUpdate(rows, { ...change, ReturnValues: 'UPDATED_OLD' })).toThrow(
      'the local table does not support ReturnValues UPDATED_OLD',
    );
  });
});

describe('a deletion', () => {
  test('a deletion removes the item only if the condition is met', () => {
    expect(() => prepareDelete(rows, { Key, ...isTwo })).toThrow(failed);
    expect(stored()).toEqual(before);
    expect(prepareDelete(rows, { Key, ...isOne }).apply()).toEqual({});
    expect(stored()).toBeNull();
    expect(prepareDelete(rows, { Key }).apply()).toEqual({});
    expect(() => prepareDelete(rows, { Key, ConditionExpression: 'attribute_exists(pk)' })).toThrow(failed);
  });
});

describe('a transaction', () => {
  const put = (Item: Document) => ({ Put: { TableName: 't', Item } });
  const cancelled = (...codes: string[]) =>
    expect.objectContaining({
      name: 'TransactionCanceledException',
      message: `Transaction cancelled: [${codes.join(', ')}]`,
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
  test('a transaction executes all writes', () => {
    transact(rows, [
      put({ ...other, a: 1 }),
      { Update: { Key, UpdateExpression: 'SET n = :v', ...values({ ':v': 7 }) } },
      { ConditionCheck: { Key: { pk: 'p', sk: 'none' }, ConditionExpression: 'attribute_not_exists(pk)' } },
      { Delete: { Key: { pk: 'p', sk: 'gone' } }, Put: undefined },
    ]);
    expect([stored(other), stored(), rows.get('p', 'none')]).toEqual([{ ...other, a: 1 }, { ...before, n: 7 }, null]);
  });

  test('a transaction executes nothing if one condition is not met, and reports which', () => {
    const list = [
      put({ ...other, a: 1 }),
      { ConditionCheck: { Key, ...isTwo } },
      { Delete: { Key: { pk: 'p', sk: 'x' } } },
    ];
    expect(() => transact(rows, list)).toThrow(cancelled('None', 'ConditionalCheckFailed', 'None'));
    expect([stored(other), stored()]).toEqual([null, before]);
  });

  test('a write that does not fit its item cancels the transaction', () => {
    const list = [{ Update: { Key, UpdateExpression: 'SET a = nothing' } }, put({ ...other, duePk: '' })];
    expect(() => transact(rows, list)).toThrow(cancelled('ValidationError', 'ValidationError'));
  });

  test('a transaction is rejected as a whole if one write is invalid', () => {
    const invalid = (list: object[], message: string) =>
      expect(() => transact(rows, list as Document[])).toThrow(
        expect.objectContaining({ name: 'ValidationException', message }),
      );
    const many = (count: number) => Array.from({ length: count }, (_, at) => put({ pk: 'many', sk: String(at) }));
    invalid([], 'a transaction must have 1 to 100 actions');
    invalid(many(101), 'a transaction must have 1 to 100 actions');
    transact(rows, many(100));
    expect(rows.get('many', '99')).toEqual({ pk: 'many', sk: '99' });
    const twice = 'Transaction request cannot include multiple operations on one item';
    invalid([put(Key), { Delete: { Key } }], twice);
    invalid([{ Get: { Key } }], 'a transaction does not support the action Get');
    invalid([{}], 'a transaction does not support the action ');
    invalid([{ Put: { Item: Key }, Delete: { Key: other } }], 'a transaction does not support the action Put');
    invalid([put(other), { Update: { Key, UpdateExpression: 'SET a =' } }], 'Invalid expression: SET a =, at its end');
    expect([stored(other), stored()]).toEqual([null, before]);
  });

  test('a transaction reports partial execution if it stops partway through', () => {
    const failing = (at: number) => {
      let calls = 0;
      const breaking = {
        ...rows,
        put: () => {
          if (calls++ === at) throw new Error('no page');
        },
      };
      return () => transact(breaking, [put(Key), put(other)]);
    };
    expect(failing(0)).toThrow('no page');
    expect(failing(1)).toThrow(
      expect.objectContaining({ isPartlyApplied: true, message: 'a change was executed only in part' }),
    );
  });
});
