import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { tableClient } from '#lib/local/table/client.ts';
import { checkItem, primaryKeyOf } from '#lib/local/table/keys.ts';
import { openStorage } from '#lib/local/table/storage.ts';

const TableName = 't';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const open = () => {
  const storage = openStorage(':memory:', { freezes: true });
  closing.push(storage.close);
  let now = 0;
  const { send } = tableClient(storage.rows, storage.turns, TableName, () => now);
  const call = (command: object): Promise<Record<string, unknown>> => send(command as never) as never;
  const pass = (ms: number) => {
    now += ms;
  };
  return { send: call, pass, ...storage };
};
const Key = { pk: 'p', sk: 's' };
const get = (key = Key) => new GetCommand({ TableName, Key: key });

describe('the table client', () => {
  test('the table client responds as the SDK does', async () => {
    const { send } = open();
    expect(await send(get())).toEqual({});
    expect(await send(new PutCommand({ TableName, Item: { ...Key, n: 1 } }))).toEqual({});
    expect(await send(new GetCommand({ TableName, Key, ConsistentRead: true }))).toEqual({ Item: { ...Key, n: 1 } });
    const update = { TableName, Key, UpdateExpression: 'ADD n :v', ExpressionAttributeValues: { ':v': 2 } };
    expect(await send(new UpdateCommand({ ...update, ReturnValues: 'UPDATED_NEW' }))).toEqual({ Attributes: { n: 3 } });
    expect(await send(new DeleteCommand({ TableName, Key }))).toEqual({});
    expect(await send(get())).toEqual({});
  });

  test('the table client reads several items at once, ordered by key, and omits missing ones', async () => {
    const { send } = open();
    for (const sk of ['a', 'b']) await send(new PutCommand({ TableName, Item: { pk: 'p', sk } }));
    const batch = (...sks: string[]) =>
      send(new BatchGetCommand({ RequestItems: { t: { Keys: sks.map((sk) => ({ pk: 'p', sk })) } } }));
    expect(await batch('b', 'none', 'a')).toEqual({
      Responses: {
        t: [
          { pk: 'p', sk: 'b' },
          { pk: 'p', sk: 'a' },
        ],
      },
      UnprocessedKeys: {},
    });
    expect(await batch(...Array.from({ length: 100 }, (_, at) => `x${at}`))).toEqual({
      Responses: { t: [] },
      UnprocessedKeys: {},
    });
    for (const sks of [[], ['a', 'a'], Array.from({ length: 101 }, (_, at) => `x${at}`)])
      await expect(batch(...sks)).rejects.toThrow('a batch must have 1 to 100 keys, without duplicates');
    const keys = { Keys: [Key] };
    for (const RequestItems of [{ other: keys }, { t: keys, other: keys }, {}])
      await expect(send(new BatchGetCommand({ RequestItems }))).rejects.toThrow('a batch can only read from t');
    await expect(
      send(new BatchGetCommand({ RequestItems: { t: keys }, ReturnConsumedCapacity: 'TOTAL' })),
    ).rejects.toThrow('the local table does not support ReturnConsumedCapacity');
  });

  test("the table client accepts only its own table and the store's commands", async () => {
    const { send } = open();
    await expect(send(new GetCommand({ TableName: 'other', Key }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'there is no table other',
    });
    await expect(send({ input: {} })).rejects.toThrow('the local table does not support this command');
  });
});

describe('transaction tokens', () => {
  const add = (token: string | undefined, value = 1) =>
    new TransactWriteCommand({
      ...(token && { ClientRequestToken: token }),
      TransactItems: [
        {
          Update: {
            TableName,
            Key,
            UpdateExpression: 'ADD n :v',
            ExpressionAttributeValues: { ':v': value },
            ConditionExpression: 'attribute_not_exists(n) OR n < :v OR n >= :v',
          },
        },
      ],
    });
  const counted = async (send: (command: object) => Promise<Record<string, unknown>>) =>
    ((await send(get())).Item as { n: number }).n;

  test('a token makes a transaction execute once within a minute', async () => {
    const { send, pass } = open();
    for (const token of ['a', 'a', 'b', undefined, undefined]) await send(add(token));
    expect(await counted(send)).toBe(4);
    pass(60_000);
    // The store retries for only a few seconds, so older tokens may be forgotten.
    await send(add('c'));
    await send(add('a'));
    pass(1);
    await send(add('d'));
    await send(add('a'));
    expect(await counted(send)).toBe(6);
    pass(60_001);
    await send(add('e'));
    await send(add('d'));
    expect(await counted(send)).toBe(7);
    await send(add('a'));
    expect(await counted(send)).toBe(8);
  });

  test('a token belongs to one transaction', async () => {
    const { send } = open();
    await send(add('a'));
    await expect(send(add('a', 2))).rejects.toMatchObject({
      name: 'IdempotentParameterMismatchException',
      message: 'the token belongs to another transaction',
    });
  });

  test('a token stays usable after a failed transaction', async () => {
    const { send } = open();
    const TransactItems = [{ ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(n)' } }];
    const check = new TransactWriteCommand({ ClientRequestToken: 'a', TransactItems });
    await expect(send(check)).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    await send(add(undefined));
    expect(await send(check)).toEqual({});
  });
});

describe('item keys', () => {
  const key = (pk: unknown, sk: unknown, more: object = {}) => ({ pk, sk, ...more });
  test('pk is limited to 2,048 bytes, and sk to 1,024', () => {
    expect(primaryKeyOf(key('p'.repeat(2_048), 'é'.repeat(512)))).toEqual(key('p'.repeat(2_048), 'é'.repeat(512)));
    const mismatch = (name: string) => `One or more parameter values were invalid: Type mismatch for key ${name}`;
    const empty = (name: string) => `One or more parameter values are not valid: the key ${name} must not be empty`;
    for (const [input, message] of [
      [key('p'.repeat(2_049), 's'), 'Size of pk has exceeded the maximum size limit of 2048 bytes'],
      [key('p', 'é'.repeat(513)), 'Size of sk has exceeded the maximum size limit of 1024 bytes'],
      [key(1, 's'), mismatch('pk')],
      [key('p', undefined), mismatch('sk')],
      [key('', 's'), empty('pk')],
      [key('p', ''), empty('sk')],
      [key('p', 's', { more: 1 }), 'The provided key element does not match the schema'],
      [undefined, mismatch('pk')],
    ] as const)
      expect(() => primaryKeyOf(input)).toThrow(expect.objectContaining({ name: 'ValidationException', message }));
  });

  test('index keys may be missing, and an invalid index key rejects only that item', () => {
    expect(checkItem({ pk: 'p', sk: 's', duePk: 'D', dueAt: '1', listPk: 'L', listSk: 'l' })).toBe(32);
    expect(checkItem({ pk: 'p', sk: 's', duePk: 'D'.repeat(2_048), listSk: 'l'.repeat(1_024) })).toBe(3_089);
    for (const item of [
      { duePk: '' },
      { dueAt: 1 },
      { listPk: null },
      { listSk: '' },
      { duePk: 'D'.repeat(2_049) },
      { dueAt: 'd'.repeat(1_025) },
    ])
      expect(() => checkItem({ pk: 'p', sk: 's', ...item })).toThrow(expect.objectContaining({ isOfItem: true }));
    expect(() => checkItem({ pk: 'p' })).not.toThrow(expect.objectContaining({ isOfItem: true }));
    expect(() => checkItem({ pk: 'p' })).toThrow('Type mismatch for key sk');
    expect(() => checkItem({ sk: 's' })).toThrow('Type mismatch for key pk');
  });

  test('keys count towards the item limit of 400 KB', () => {
    const item = (bytes: number) => ({ pk: 'p', sk: 's', t: 'x'.repeat(bytes - 7) });
    expect(checkItem(item(400 * 1_024))).toBe(400 * 1_024);
    expect(() => checkItem(item(400 * 1_024 + 1))).toThrow(
      expect.objectContaining({ message: 'Item size has exceeded the maximum allowed size', isOfItem: true }),
    );
  });
});
