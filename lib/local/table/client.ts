import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { TableClient } from '#shared/store/engine/client.ts';
import { invalid, tableError } from './errors.ts';
import { primaryKeyOf } from './keys.ts';
import { query } from './query.ts';
import { type Input, optionsOf } from './request.ts';
import type { Rows } from './rows.ts';
import type { Turns } from './turns.ts';
import type { Document } from './values.ts';
import { prepareDelete, preparePut, prepareUpdate, transact } from './writes.ts';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const MAX_KEYS = 100;
const MAX_RESPONSE_BYTES = 16 * 1_024 * 1_024;
/** How long (ms) a transaction token is remembered: 10 minutes in AWS, but the store retries for only 8 s. */
const TOKEN_MS = 60_000;

const get = (rows: Rows, input: Input) => {
  const { pk, sk } = primaryKeyOf(optionsOf(input, ['TableName', 'Key', 'ConsistentRead']).Key);
  const Item = rows.get(pk, sk);
  return Item ? { Item } : {};
};

const getAll = (rows: Rows, name: string, input: Input) => {
  const { Keys } = optionsOf(input, ['Keys', 'ConsistentRead']);
  const keys = (Keys as unknown[]).map(primaryKeyOf);
  const hasDuplicates = new Set(keys.map((key) => JSON.stringify([key.pk, key.sk]))).size < keys.length;
  if (keys.length === 0 || keys.length > MAX_KEYS || hasDuplicates)
    throw invalid(`a batch must have 1 to ${MAX_KEYS} keys, without duplicates`);
  const found: Document[] = [];
  let size = 0;
  for (const [at, { pk, sk }] of keys.entries()) {
    const row = rows.find(pk, sk);
    if (!row) continue;
    size += row.size;
    if (size > MAX_RESPONSE_BYTES)
      return { Responses: { [name]: found }, UnprocessedKeys: { [name]: { ...input, Keys: keys.slice(at) } } };
    found.push(row.item);
  }
  return { Responses: { [name]: found }, UnprocessedKeys: {} };
};

/** Remembers tokens for at least `TOKEN_MS`, and at most twice as long. */
const tokens = (now: () => number) => {
  let recent = new Map<string, string>();
  let older = new Map<string, string>();
  let since = now();
  return {
    find: (token: string): string | undefined => recent.get(token) ?? older.get(token),
    add: (token: string, content: string): void => {
      if (now() - since > TOKEN_MS) {
        older = recent;
        recent = new Map();
        since = now();
      }
      recent.set(token, content);
    },
  };
};

/**
 * Creates a client for the table in this process. It supports the commands and options that the store uses, returns the
 * same results as DynamoDB, and rejects everything else. Reads are always consistent. `ConsumedCapacity` is not
 * counted. In tests, dynoxide counts it.
 */
export const tableClient = (rows: Rows, { read, write }: Turns, tableName: string, now: () => number): TableClient => {
  const known = tokens(now);
  const transactOnce = (input: Input): object => {
    const { TransactItems, ClientRequestToken: token } = optionsOf(input, ['TransactItems', 'ClientRequestToken']);
    const content = JSON.stringify(TransactItems);
    const earlier = known.find(String(token));
    if (earlier !== undefined && earlier !== content)
      throw tableError('IdempotentParameterMismatchException', 'the token belongs to another transaction');
    if (earlier === content) return {};
    transact(rows, TransactItems as Input[]);
    // Remembered only now, because a retry must execute a transaction that failed.
    if (token !== undefined) known.add(String(token), content);
    return {};
  };
  const batch = ({ RequestItems, ...more }: Input) => {
    optionsOf(more, []);
    const { [tableName]: request, ...others } = Object(RequestItems);
    if (!request || Object.keys(others).length > 0) throw invalid(`a batch can only read from ${tableName}`);
    return getAll(rows, tableName, request as Input);
  };
  const reads = new Map<unknown, (input: Input) => object>([
    [GetCommand, (input) => get(rows, input)],
    [BatchGetCommand, batch],
    [QueryCommand, (input) => query(rows, input)],
  ]);
  const writes = new Map<unknown, (input: Input) => object>([
    [PutCommand, (input) => preparePut(rows, input).apply()],
    [UpdateCommand, (input) => prepareUpdate(rows, input).apply()],
    [DeleteCommand, (input) => prepareDelete(rows, input).apply()],
    [TransactWriteCommand, transactOnce],
  ]);
  const unsupported = (): object => {
    throw invalid('the local table does not support this command');
  };
  const checkName = ({ TableName: name = tableName }: Input): void => {
    if (name !== tableName) throw tableError('ResourceNotFoundException', `there is no table ${name}`);
  };
  // Not an async function, because the additional promise would make a call settle after other calls made later.
  const send = (command: { input: object }): Promise<object> => {
    const writing = writes.get(command.constructor);
    const call = writing ?? reads.get(command.constructor) ?? unsupported;
    return (writing ? write : read)(() => {
      checkName(command.input as Input);
      return call(command.input as Input);
    });
  };
  return { send } as TableClient;
};
