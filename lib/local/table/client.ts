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
import { keyOf } from './keys.ts';
import { query } from './query.ts';
import { type Input, optionsOf } from './request.ts';
import type { Rows } from './rows.ts';
import type { Turns } from './turns.ts';
import type { Document } from './values.ts';
import { prepareDelete, preparePut, prepareUpdate, transact } from './writes.ts';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const MOST_KEYS = 100;
const LARGEST_ANSWER = 16 * 1_024 * 1_024;
/** So long (ms) a transaction is known by its token. AWS: 10 minutes; the store tries again for 8 s. */
const TOKEN_MS = 60_000;

const get = (rows: Rows, input: Input) => {
  const { pk, sk } = keyOf(optionsOf(input, ['TableName', 'Key', 'ConsistentRead']).Key);
  const Item = rows.get(pk, sk);
  return Item ? { Item } : {};
};

const getAll = (rows: Rows, name: string, given: Input) => {
  const { Keys } = optionsOf(given, ['Keys', 'ConsistentRead']);
  const keys = (Keys as unknown[]).map(keyOf);
  const isRepeated = new Set(keys.map((key) => JSON.stringify([key.pk, key.sk]))).size < keys.length;
  if (keys.length === 0 || keys.length > MOST_KEYS || isRepeated)
    throw invalid(`a batch has 1 to ${MOST_KEYS} keys, each once`);
  const found: Document[] = [];
  let size = 0;
  for (const [at, { pk, sk }] of keys.entries()) {
    const row = rows.find(pk, sk);
    if (!row) continue;
    size += row.size;
    if (size > LARGEST_ANSWER)
      return { Responses: { [name]: found }, UnprocessedKeys: { [name]: { ...given, Keys: keys.slice(at) } } };
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
 * A client of the table in this process: the commands of the store with plain values, answered as DynamoDB does. What the
 * store does not use is refused. Reads are always consistent. `ConsumedCapacity` is not counted: dynoxide, in the tests,
 * counts it.
 */
export const tableClient = (rows: Rows, { read, write }: Turns, tableName: string, now: () => number): TableClient => {
  const known = tokens(now);
  const transactOnce = async (input: Input): Promise<object> => {
    const { TransactItems, ClientRequestToken: token } = optionsOf(input, ['TransactItems', 'ClientRequestToken']);
    const content = JSON.stringify(TransactItems);
    const before = known.find(String(token));
    if (before !== undefined && before !== content)
      throw tableError('IdempotentParameterMismatchException', 'the token belongs to another transaction');
    if (before === content) return {};
    await write(() => transact(rows, TransactItems as Input[]));
    // Not earlier: what was not kept must be carried out by the next try.
    if (token !== undefined) known.add(String(token), content);
    return {};
  };
  const batch = ({ RequestItems, ...more }: Input) => {
    optionsOf(more, []);
    const { [tableName]: given, ...others } = Object(RequestItems);
    if (!given || Object.keys(others).length > 0) throw invalid('a batch is of this table alone');
    return getAll(rows, tableName, given as Input);
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
  ]);
  const send = async (command: { input: object }): Promise<object> => {
    const { input } = command;
    const { TableName: name = tableName } = input as { TableName?: string };
    if (name !== tableName) throw tableError('ResourceNotFoundException', `there is no table ${name}`);
    if (command.constructor === TransactWriteCommand) return transactOnce(input as Input);
    const reading = reads.get(command.constructor);
    if (reading) return read(() => reading(input as Input));
    const writing = writes.get(command.constructor);
    if (!writing) throw invalid('this table does not know the command');
    return write(() => writing(input as Input));
  };
  return { send } as TableClient;
};
