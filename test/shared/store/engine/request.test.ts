import { describe, expect, test } from 'vitest';
import {
  absent,
  attributesSetBy,
  changes,
  present,
  queryInput,
  where,
  writeCommand,
} from '#shared/store/engine/request.ts';

const KEY = { pk: 'p', sk: 's' };

describe('conditions', () => {
  test('a condition includes only attributes and values in use', () => {
    expect(where('#count < :limit AND attribute_exists(#a)', { limit: 3 })).toEqual({
      ConditionExpression: '#count < :limit AND attribute_exists(#a)',
      ExpressionAttributeNames: { '#count': 'count', '#a': 'a' },
      ExpressionAttributeValues: { ':limit': 3 },
    });
    expect(absent).toEqual({ ConditionExpression: 'attribute_not_exists(pk)' });
    expect(present).toEqual({ ConditionExpression: 'attribute_exists(pk)' });
  });
});

test('an update sets, computes, adds and removes attributes in one conditional expression', () => {
  const update = changes(
    {
      set: { a: 1, skipped: undefined, none: null },
      compute: { b: '#c' },
      add: { d: 2 },
      remove: ['e', 'f'],
      if: where('#g = :h', { h: 3 }),
    },
    'ALL_NEW',
  );
  expect(update).toEqual({
    UpdateExpression: 'SET #a = :a, #none = :none, #b = #c ADD #d :d REMOVE #e, #f',
    ConditionExpression: '#g = :h',
    ExpressionAttributeNames: Object.fromEntries([...'abcdefg', 'none'].map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: { ':a': 1, ':none': null, ':d': 2, ':h': 3 },
    ReturnValues: 'ALL_NEW',
  });
});

test('an update does not contain empty clauses', () => {
  expect(changes({ remove: ['a'] })).toEqual({
    UpdateExpression: 'REMOVE #a',
    ExpressionAttributeNames: { '#a': 'a' },
  });
  expect(changes({ add: { a: 1 }, remove: [] })).toEqual({
    UpdateExpression: 'ADD #a :a',
    ExpressionAttributeNames: { '#a': 'a' },
    ExpressionAttributeValues: { ':a': 1 },
  });
  expect(changes({ set: { a: 1 } }).UpdateExpression).toBe('SET #a = :a');
  expect(changes({ compute: { a: '#b' } }).UpdateExpression).toBe('SET #a = #b');
});

test('an update reports only attributes set to values', () => {
  const update = changes({ set: { a: 1, ab: 'x' }, compute: { c: '#a' }, add: { d: 2 }, remove: ['e'] });
  expect(attributesSetBy(update)).toEqual({ a: 1, ab: 'x' });
  expect(attributesSetBy(changes({ remove: ['e'] }))).toEqual({});
});

describe('write commands', () => {
  const common = { TableName: 't', ReturnConsumedCapacity: 'TOTAL' as const };
  const commandOf = (...writes: Parameters<typeof writeCommand>[1]) => {
    const command = writeCommand(common, writes, 'token');
    return [command.constructor.name, command.input];
  };
  const item = { ...KEY, a: 1 };
  const update = changes({ set: { a: 1 } });
  test('a single write is a plain command with a condition', () => {
    expect(commandOf({ put: item, where: absent })).toEqual(['PutCommand', { ...common, Item: item, ...absent }]);
    expect(commandOf({ remove: KEY, where: present })).toEqual(['DeleteCommand', { ...common, Key: KEY, ...present }]);
    expect(commandOf({ update: KEY, changes: update })).toEqual(['UpdateCommand', { ...common, Key: KEY, ...update }]);
  });

  test('several writes, including checks, are a transaction with a token', () => {
    const [name, input] = commandOf(
      { put: item, where: absent },
      { remove: KEY, where: present },
      { update: KEY, changes: update },
      { check: KEY, where: present },
    );
    expect(name).toBe('TransactWriteCommand');
    expect(input).toEqual({
      ReturnConsumedCapacity: 'TOTAL',
      ClientRequestToken: 'token',
      TransactItems: [
        { Put: { TableName: 't', Item: item, ...absent } },
        { Delete: { TableName: 't', Key: KEY, ...present } },
        { Update: { TableName: 't', Key: KEY, ...update } },
        { ConditionCheck: { TableName: 't', Key: KEY, ...present } },
      ],
    });
    expect(commandOf({ check: KEY, where: present })[0]).toBe('TransactWriteCommand');
  });
});

test('a query reads a table partition consistently, oldest first', () => {
  expect(queryInput({ pk: 'p' })).toEqual({
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ExpressionAttributeValues: { ':pk': 'p' },
    ScanIndexForward: true,
    ConsistentRead: true,
  });
});

test('a query can be limited to a range or a prefix', () => {
  expect(queryInput({ pk: 'p', between: ['a', 'b'] })).toMatchObject({
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :low AND :high',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
    ExpressionAttributeValues: { ':pk': 'p', ':low': 'a', ':high': 'b' },
  });
  expect(queryInput({ pk: 'p', beginsWith: 'a' })).toMatchObject({
    KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :start)',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
    ExpressionAttributeValues: { ':pk': 'p', ':start': 'a' },
  });
});

test('a query can have a limit, a start, reverse order, a lag and selected attributes', () => {
  const query = { pk: 'p', newestFirst: true, limit: 0, startAfter: KEY, consistent: false, only: ['a', 'b.c'] };
  expect(queryInput(query)).toEqual({
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': 'pk', '#a': 'a', '#b': 'b', '#c': 'c' },
    ExpressionAttributeValues: { ':pk': 'p' },
    ScanIndexForward: false,
    Limit: 0,
    ExclusiveStartKey: KEY,
    ConsistentRead: false,
    ProjectionExpression: 'pk, sk, #a, #b.#c',
  });
});

test('an index query uses index keys and never requests a consistent read', () => {
  const input = queryInput({ index: 'due', pk: 'p', beginsWith: 'a' });
  expect(input).toMatchObject({ IndexName: 'due', ExpressionAttributeNames: { '#pk': 'duePk', '#sk': 'dueAt' } });
  expect(input).not.toHaveProperty('ConsistentRead');
});
