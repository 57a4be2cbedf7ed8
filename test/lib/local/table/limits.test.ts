import { BatchGetCommand, DeleteCommand, GetCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { reservedWords } from '#lib/local/table/reserved-words.ts';
import { KB, key, put, query, TableName, tableAlone, update } from '#test/fixtures/table-alone.ts';

const { errorOf, close } = tableAlone();
afterAll(close);

const rejected = 'ValidationException';
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ pk: 'p', sk: String(at) }));

describe('the table rejects what DynamoDB rejects', () => {
  test.each<[string, object]>([
    ['an item above 400 KB', put({ text: 'x'.repeat(400 * KB) })],
    [
      'an update that grows an item above 400 KB',
      update('SET #a = :a', {
        ExpressionAttributeNames: { '#a': 'a' },
        ExpressionAttributeValues: { ':a': 'é'.repeat(200 * KB) },
      }),
    ],
    ['a partition key above 2,048 bytes', put({ pk: 'é'.repeat(1_025) })],
    ['a sort key above 1,024 bytes', put({ sk: 'x'.repeat(1_025) })],
    ['an empty key', put({ sk: '' })],
    ['a key that is not a string', put({ sk: 7 })],
    ['an empty index key', put({ duePk: 'D', dueAt: '' })],
    ['an index key that is not a string', put({ listPk: 'L', listSk: 1 })],
    ['a key with an additional attribute', new GetCommand({ TableName, Key: { ...key, more: 1 } })],
    ['an incomplete key', new DeleteCommand({ TableName, Key: { pk: 'p' } })],
    ['101 keys in a batch', new BatchGetCommand({ RequestItems: { [TableName]: { Keys: many(101) } } })],
    ['a duplicate key in a batch', new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [key, key] } } })],
    [
      '101 writes in a transaction',
      new TransactWriteCommand({ TransactItems: many(101).map((Item) => ({ Put: { TableName, Item } })) }),
    ],
    [
      'two writes to one item in a transaction',
      new TransactWriteCommand({
        TransactItems: [{ Put: { TableName, Item: key } }, { Delete: { TableName, Key: key } }],
      }),
    ],
    [
      'an unused value placeholder',
      put({}, { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeValues: { ':v': 1 } }),
    ],
    [
      'an unused name placeholder',
      put({}, { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeNames: { '#v': 'v' } }),
    ],
    [
      'an empty set of placeholders',
      put({}, { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeValues: {} }),
    ],
    ['an undefined value placeholder', put({}, { ConditionExpression: 'pk = :v' })],
    ['an undefined name placeholder', put({}, { ConditionExpression: 'attribute_exists(#v)' })],
    ['a change to the key', update('SET sk = :v', { ExpressionAttributeValues: { ':v': 'x' } })],
    ['two changes to one attribute', update('SET a = :v REMOVE a', { ExpressionAttributeValues: { ':v': 'x' } })],
    ['a limit of 0', query({ Limit: 0 })],
    [
      'a consistent index read',
      query({ IndexName: 'due', KeyConditionExpression: 'duePk = :pk', ConsistentRead: true }),
    ],
    [
      'range bounds in the wrong order',
      query({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :b AND :a',
        ExpressionAttributeValues: { ':pk': 'p', ':a': 'a', ':b': 'b' },
      }),
    ],
    ['a document with more than 32 levels', put({ deep: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) })],
  ])('the table rejects %s, like DynamoDB', async (_, command) => {
    expect(await errorOf(command)).toBe(rejected);
  });

  test('the table rejects all 573 reserved words, in upper or lower case', async () => {
    expect(reservedWords.size).toBe(573);
    for (const word of ['status', 'Status', 'TTL', 'hash'])
      expect([word, await errorOf(put({}, { ConditionExpression: `attribute_exists(${word})` }))]).toEqual([
        word,
        rejected,
      ]);
    expect(await errorOf(put({}, { ConditionExpression: 'attribute_not_exists(leaseUntil)' }))).toBe('none');
  });
});

describe('the table rejects what it does not support', () => {
  const values = { ExpressionAttributeValues: { ':v': 'x' } };
  test.each<[string, object]>([
    ['an unknown option', put({}, { ReturnItemCollectionMetrics: 'SIZE' })],
    ['a request for consumed capacity', put({}, { ReturnConsumedCapacity: 'TOTAL' })],
    ['a query filter', query({ FilterExpression: 'attribute_exists(pk)' })],
    ['an unknown function', put({}, { ConditionExpression: 'begins_with(pk, :v)', ...values })],
    ['an inherited function', update('SET a = toString(a, :v)', values)],
    ['an unknown operator', update('SET a = a - :v', values)],
    ['an unknown clause', update('DELETE a :v', values)],
    ['an unknown index', query({ IndexName: 'another' })],
    [
      'an unsupported sort key comparison',
      query({ KeyConditionExpression: 'pk = :pk AND sk > :v', ExpressionAttributeValues: { ':pk': 'p', ':v': 'x' } }),
    ],
    ['an unknown command', new ScanCommand({ TableName })],
    ['an unsupported update return value', update('SET a = :v', { ...values, ReturnValues: 'UPDATED_OLD' })],
    [
      'an unsupported transaction action',
      new TransactWriteCommand({ TransactItems: [{ Get: { TableName, Key: key } } as never] }),
    ],
    ['a sum of fractions', update('ADD n :half', { ExpressionAttributeValues: { ':half': 0.5 } })],
  ])('the local table rejects %s', async (_, command) => {
    expect(await errorOf(command)).toBe(rejected);
  });
  test('the local table rejects requests for another table', async () => {
    expect(await errorOf(new GetCommand({ TableName: 'another', Key: key }))).toBe('ResourceNotFoundException');
  });
  test.each([
    new Date(),
    new Set(['a']),
    Number.NaN,
    Number.MAX_SAFE_INTEGER + 1,
    JSON.parse('{"__proto__":1}'),
    Symbol('a'),
  ])('the local table rejects %s, which is not a JSON value', async (value) => {
    expect(await errorOf(put({ value }))).toBe('Error');
  });
});
