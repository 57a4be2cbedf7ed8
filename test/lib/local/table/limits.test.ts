import { BatchGetCommand, DeleteCommand, GetCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { reservedWords } from '#lib/local/table/reserved-words.ts';
import { KB, key, put, query, TableName, tableAlone, update } from '#test/fixtures/table-alone.ts';

const { errorOf, close } = tableAlone();
afterAll(close);

const refused = 'ValidationException';
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ pk: 'p', sk: String(at) }));

describe('what AWS does not take is refused', () => {
  test.each<[string, object]>([
    ['an item above 400 KB', put({ text: 'x'.repeat(400 * KB) })],
    [
      'an item above 400 KB by an update',
      update('SET #a = :a', {
        ExpressionAttributeNames: { '#a': 'a' },
        ExpressionAttributeValues: { ':a': 'é'.repeat(200 * KB) },
      }),
    ],
    ['a partition key above 2,048 bytes', put({ pk: 'é'.repeat(1_025) })],
    ['a sort key above 1,024 bytes', put({ sk: 'x'.repeat(1_025) })],
    ['an empty key', put({ sk: '' })],
    ['a key that is no text', put({ sk: 7 })],
    ['an empty key of an index', put({ duePk: 'D', dueAt: '' })],
    ['a key of an index that is no text', put({ listPk: 'L', listSk: 1 })],
    ['a key with a part too many', new GetCommand({ TableName, Key: { ...key, more: 1 } })],
    ['a key without a part', new DeleteCommand({ TableName, Key: { pk: 'p' } })],
    ['101 keys in a batch', new BatchGetCommand({ RequestItems: { [TableName]: { Keys: many(101) } } })],
    ['a key twice in a batch', new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [key, key] } } })],
    [
      '101 writes in a transaction',
      new TransactWriteCommand({ TransactItems: many(101).map((Item) => ({ Put: { TableName, Item } })) }),
    ],
    [
      'two writes of an item in a transaction',
      new TransactWriteCommand({
        TransactItems: [{ Put: { TableName, Item: key } }, { Delete: { TableName, Key: key } }],
      }),
    ],
    [
      'a value that no expression needs',
      put({}, { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeValues: { ':v': 1 } }),
    ],
    [
      'a name that no expression needs',
      put({}, { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeNames: { '#v': 'v' } }),
    ],
    [
      'placeholders, none of them',
      put({}, { ConditionExpression: 'attribute_not_exists(pk)', ExpressionAttributeValues: {} }),
    ],
    ['a value that is not given', put({}, { ConditionExpression: 'pk = :v' })],
    ['a name that is not given', put({}, { ConditionExpression: 'attribute_exists(#v)' })],
    ['a change of the key', update('SET sk = :v', { ExpressionAttributeValues: { ':v': 'x' } })],
    ['two changes of one attribute', update('SET a = :v REMOVE a', { ExpressionAttributeValues: { ':v': 'x' } })],
    ['a limit of 0', query({ Limit: 0 })],
    [
      'a consistent read of an index',
      query({ IndexName: 'due', KeyConditionExpression: 'duePk = :pk', ConsistentRead: true }),
    ],
    [
      'bounds in the wrong order',
      query({
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :b AND :a',
        ExpressionAttributeValues: { ':pk': 'p', ':a': 'a', ':b': 'b' },
      }),
    ],
    ['a document of more than 32 levels', put({ deep: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) })],
  ])('%s', async (_, command) => {
    expect(await errorOf(command)).toBe(refused);
  });

  test('a reserved word as it stands, in any case; there are 573', async () => {
    expect(reservedWords.size).toBe(573);
    for (const word of ['status', 'Status', 'TTL', 'hash'])
      expect([word, await errorOf(put({}, { ConditionExpression: `attribute_exists(${word})` }))]).toEqual([
        word,
        refused,
      ]);
    expect(await errorOf(put({}, { ConditionExpression: 'attribute_not_exists(leaseUntil)' }))).toBe('none');
  });
});

describe('what this table does not know is refused, never ignored', () => {
  const values = { ExpressionAttributeValues: { ':v': 'x' } };
  test.each<[string, object]>([
    ['an option', put({}, { ReturnItemCollectionMetrics: 'SIZE' })],
    ['the units', put({}, { ReturnConsumedCapacity: 'TOTAL' })],
    ['a filter of a query', query({ FilterExpression: 'attribute_exists(pk)' })],
    ['a function', put({}, { ConditionExpression: 'begins_with(pk, :v)', ...values })],
    ['a function of a prototype', update('SET a = toString(a, :v)', values)],
    ['an operator', update('SET a = a - :v', values)],
    ['a clause', update('DELETE a :v', values)],
    ['an index', query({ IndexName: 'another' })],
    [
      'another comparison of the sort key',
      query({ KeyConditionExpression: 'pk = :pk AND sk > :v', ExpressionAttributeValues: { ':pk': 'p', ':v': 'x' } }),
    ],
    ['a command', new ScanCommand({ TableName })],
    ['what an update returns', update('SET a = :v', { ...values, ReturnValues: 'UPDATED_OLD' })],
    [
      'an action of a transaction',
      new TransactWriteCommand({ TransactItems: [{ Get: { TableName, Key: key } } as never] }),
    ],
    ['a sum of fractions', update('ADD n :half', { ExpressionAttributeValues: { ':half': 0.5 } })],
  ])('%s', async (_, command) => {
    expect(await errorOf(command)).toBe(refused);
  });
  test('another table', async () => {
    expect(await errorOf(new GetCommand({ TableName: 'another', Key: key }))).toBe('ResourceNotFoundException');
  });
  test.each([
    new Date(),
    new Set(['a']),
    Number.NaN,
    Number.MAX_SAFE_INTEGER + 1,
    JSON.parse('{"__proto__":1}'),
    Symbol('a'),
  ])('a value that is none of JSON: %s', async (value) => {
    expect(await errorOf(put({ value }))).toBe('Error');
  });
});
