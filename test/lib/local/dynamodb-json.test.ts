import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTableEngine, type TableEngine } from '../../../lib/local/engines.ts';
import { embeddedClient, ensureTable, localDocumentClient, tableClient } from '../../../lib/local/table.ts';
import type { TableClient } from '../../../shared/store/client.ts';

const TableName = 'same';
const key = (sk: string, pk = 'P') => ({ pk, sk });
const deep = { a: { b: [{ c: [[], {}, [null, { d: '' }]] }] }, yes: true, no: false, nothing: null };
const texts = ['', ' ', 'ä', '\u{1f6cf}\u{fe0f} \u{1f468}\u200d\u{1f469}', '\ufffe\uffff', '\u2028\0\t"\\', '\ud800'];
const numbers = [0, -0, 0.1, 1 / 3, 1e-7, 1e-130, 1e-140, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e300, Number.NaN];
const big = Array.from({ length: 2_000 }, (_, n) => ({ n, text: `${n} ü` }));
const present = 'attribute_exists(pk)';
const absent = 'attribute_not_exists(pk)';

const put = (Item: object, more: object = {}) => new PutCommand({ TableName, Item: Item as never, ...more });
const get = (sk: string, more: object = {}) => new GetCommand({ TableName, Key: key(sk), ...more });
const update = (sk: string, UpdateExpression: string, values: object, more: object = {}) =>
  new UpdateCommand({
    ...{ TableName, Key: key(sk), UpdateExpression, ExpressionAttributeNames: { '#a': 'a' } },
    ExpressionAttributeValues: values as never,
    ...more,
  });
const remove = (sk: string, more: object = {}) => new DeleteCommand({ TableName, Key: key(sk), ...more });
const query = (more: object = {}) =>
  new QueryCommand({
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'P' },
    ReturnConsumedCapacity: 'TOTAL',
    ...more,
  });
const batch = (Keys: object[]) =>
  new BatchGetCommand({ RequestItems: { [TableName]: { Keys: Keys as never, ConsistentRead: true } } });
const together = (...TransactItems: object[]) =>
  new TransactWriteCommand({ TransactItems: TransactItems as never, ReturnConsumedCapacity: 'TOTAL' });
const within = (Item: object, ConditionExpression?: string) => ({
  Put: { TableName, Item, ...(ConditionExpression && { ConditionExpression }) },
});

type Command = { input: object };
const requests: [title: string, command: () => Command][] = [
  ['a missing item', () => get('none')],
  ['a new item', () => put({ ...key('one'), ...deep, gone: undefined, list: [1, undefined, 2] })],
  ['that item', () => get('one', { ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' })],
  ['a part of it', () => get('one', { ProjectionExpression: 'pk, a.b' })],
  ['a large list', () => put({ ...key('big'), big })],
  ['that list', () => get('big')],
  ['more than an item may have', () => put({ ...key('too big'), text: 'x'.repeat(410_000) })],
  ...texts.flatMap((text, at): [string, () => Command][] => [
    [`the text ${JSON.stringify(text)}`, () => put({ ...key(`text ${at}`), text, [`name ${text}`]: [text] })],
    ['and back', () => get(`text ${at}`)],
  ]),
  ...numbers.flatMap((number, at): [string, () => Command][] => [
    [`the number ${number}`, () => put({ ...key(`number ${at}`), number, list: [number] })],
    ['and back', () => get(`number ${at}`)],
  ]),
  ['an empty key', () => put(key(''))],
  ['a key of another kind', () => put({ pk: 'P', sk: 1 })],
  ['no key', () => put({ a: 1 })],
  ['a table that is not there', () => put(key('one'), { TableName: 'nowhere' })],
  ['a put whose condition fails', () => put(key('one'), { ConditionExpression: absent })],
  ['a condition that cannot be read', () => put(key('one'), { ConditionExpression: 'not (' })],
  ['an update', () => update('one', 'SET #a = :a', { ':a': [deep, 0.1, ''] }, { ReturnValues: 'ALL_NEW' })],
  ['a sum', () => update('sum', 'ADD #a :a', { ':a': 2 ** 53 - 1 }, { ReturnValues: 'UPDATED_NEW' })],
  ['beyond the safe integers', () => update('sum', 'ADD #a :a', { ':a': 2 }, { ReturnValues: 'ALL_NEW' })],
  ['that sum', () => get('sum')],
  ['an update that tells nothing', () => update('one', 'SET #a = :a', { ':a': 1 })],
  ['an update whose condition fails', () => update('no', 'SET #a = :a', { ':a': 1 }, { ConditionExpression: present })],
  ['a removal of nothing', () => remove('none')],
  ['a removal whose condition fails', () => remove('none', { ConditionExpression: present })],
  ['a query of all', () => query()],
  ['a page of it', () => query({ Limit: 2, ConsistentRead: true })],
  ['the page after', () => query({ Limit: 2, ExclusiveStartKey: key('number 0') })],
  ['a query of nothing', () => query({ ExpressionAttributeValues: { ':pk': 'nobody' } })],
  ['a batch', () => batch([key('one'), key('none'), key('sum')])],
  ['a batch of nothing', () => batch([])],
  ['a batch that asks twice', () => batch([key('one'), key('one')])],
  ['a transaction', () => together(within(key('t1')), within({ ...key('t2'), ...deep }, absent))],
  ['a transaction that is canceled', () => together(within(key('t3')), within(key('t1'), absent))],
  [
    'one of all kinds',
    () =>
      together(
        { ConditionCheck: { TableName, Key: key('t1'), ConditionExpression: present } },
        { Delete: { TableName, Key: key('t2') } },
        { Update: update('t4', 'SET #a = :a', { ':a': '\u{1f6cf}' }).input },
        within(key('t5'), absent),
      ),
  ],
  [
    'one of all kinds that is canceled by most',
    () =>
      together(
        { ConditionCheck: { TableName, Key: key('none'), ConditionExpression: present } },
        { Delete: { TableName, Key: key('t2'), ConditionExpression: present } },
        { Update: update('t4', 'SET #a = :a', { ':a': 1 }).input },
        within(key('t5'), absent),
      ),
  ],
  ['a transaction that writes an item twice', () => together(within(key('t6')), within(key('t6')))],
  ['a removal', () => remove('one', { ReturnValues: 'ALL_OLD' })],
  ['what is there in the end', () => query({ ScanIndexForward: false })],
];

type Failure = Error & { CancellationReasons?: unknown };
/** What a call gives: its answer less what the SDK adds, or its error. */
const outcome = async (client: TableClient, command: Command): Promise<object> => {
  try {
    const { $metadata, ...answer } = await client.send(command as GetCommand);
    return { answer };
  } catch (error) {
    const { name, message, CancellationReasons } = error as Failure;
    // What is refused before it is sent has no name of its own; its words are each client's own.
    return name === 'Error' ? { name } : { name, message, CancellationReasons };
  }
};

describe('the client for the embedded engine', () => {
  const engines: TableEngine[] = [];
  let sdk: TableClient;
  let own: TableClient;
  beforeAll(async () => {
    for (const _ of ['sdk', 'own']) engines.push(await startTableEngine({ dataDir: ':memory:', onExit: () => {} }));
    for (const { endpoint } of engines) await ensureTable(endpoint, TableName);
    const [one, other] = engines.map(({ endpoint }) => endpoint);
    sdk = localDocumentClient(one ?? '');
    own = embeddedClient(other ?? '');
  });
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.stop()));
  });

  test('answers as the SDK does, and fails as it does, request by request', async () => {
    const seen: object[] = [];
    for (const [title, command] of requests) {
      const expected = await outcome(sdk, command());
      expect({ title, ...(await outcome(own, command())) }).toEqual({ title, ...expected });
      seen.push(expected);
    }
    const text = JSON.stringify(seen, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
    for (const name of ['ConditionalCheckFailed', 'TransactionCanceled', 'ResourceNotFound', 'Validation'])
      expect(text).toContain(`"name":"${name}Exception"`);
    expect(text).toContain('"a":"9007199254740993"');
  });

  test("refuses a field with the name __proto__, as the engine does with the SDK's request", async () => {
    const command = () => put({ ...key('proto'), deep: JSON.parse('{"__proto__":{"a":1}}') });
    await expect(sdk.send(command())).rejects.toThrow();
    await expect(own.send(command())).rejects.toThrow('__proto__');
  });

  test('makes no calls but those of the store', async () => {
    await expect(own.send(new ScanCommand({ TableName }))).rejects.toThrow('the store makes no such call');
  });

  test('is used only for the embedded engine, and not when a test observes the client', () => {
    const endpoint = engines[0]?.endpoint ?? '';
    let heard: unknown;
    const onClient = (client: DynamoDBDocumentClient) => (heard = client);
    expect(tableClient({}, endpoint)).not.toBeInstanceOf(DynamoDBDocumentClient);
    expect(tableClient({ tableEndpoint: endpoint }, endpoint)).toBeInstanceOf(DynamoDBDocumentClient);
    expect(tableClient({ onClient }, endpoint)).toBe(heard);
    expect(heard).toBeInstanceOf(DynamoDBDocumentClient);
  });
});
