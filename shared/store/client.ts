import { randomUUID } from 'node:crypto';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  type PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Key } from './key.ts';
import { type Changes, type Item, type Query, queryInput, type Write, writeCommand } from './request.ts';
import { failedConditions, isFailedCondition, persistently } from './retry.ts';

/** Reports the units that one call consumed: for tests and benchmarks. */
export type Meter = (call: string, units: { read: number; write: number }) => void;

type Capacity = { CapacityUnits?: number | undefined };
type Metered = { ConsumedCapacity?: Capacity | Capacity[] | undefined };

/** The document client of a client; it is told to drop `undefined`, as JSON does. */
export const documentClientOf = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/** A client for the table; what is tried again is decided here (retry.ts), not in the SDK. */
export const documentClient = (config: DynamoDBClientConfig): DynamoDBDocumentClient =>
  documentClientOf(new DynamoDBClient({ ...config, maxAttempts: 1 }));

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const LONGEST_BATCH = 100;

/** A batch that was answered in part: an error that passes (retry.ts). */
const unprocessed = () => Object.assign(new Error('keys were left unprocessed'), { name: 'UnprocessedKeys' });

const connect = (client: DynamoDBDocumentClient, name: string, meter: Meter | undefined) => {
  const common = { TableName: name, ...(meter && { ReturnConsumedCapacity: 'TOTAL' as const }) };
  const call = async <R extends Metered>(unit: 'read' | 'write', what: string, send: () => Promise<R>): Promise<R> => {
    const answer = await persistently(send);
    const units = [answer.ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    meter?.(what, { read: 0, write: 0, [unit]: units });
    return answer;
  };
  return { client, common, call };
};
type Connection = ReturnType<typeof connect>;

const reads = ({ client, common, call }: Connection) => {
  const query = async <T extends Item>(input: Query): Promise<{ items: (T & Key)[]; next: Item | undefined }> => {
    const command = new QueryCommand({ ...common, ...queryInput(input) });
    const answer = await call('read', 'query', () => client.send(command));
    return { items: (answer.Items ?? []) as (T & Key)[], next: answer.LastEvaluatedKey };
  };
  return {
    query,

    get: async <T extends Item>(key: Key, consistent = false): Promise<(T & Key) | null> => {
      const command = new GetCommand({ ...common, Key: key, ...(consistent && { ConsistentRead: true }) });
      return ((await call('read', 'get', () => client.send(command))).Item as (T & Key) | undefined) ?? null;
    },

    /**
     * Items that do not exist are left out, the order is free. Keys that the table leaves unprocessed are asked for
     * again after a pause, as after any trouble that passes: TableUnavailable when they stay so.
     */
    getAll: async <T extends Item>(keys: readonly Key[], ConsistentRead = false): Promise<(T & Key)[]> => {
      const found: (T & Key)[] = [];
      const { TableName, ...capacity } = common;
      for (let at = 0; at < keys.length; at += LONGEST_BATCH) {
        let Keys = keys.slice(at, at + LONGEST_BATCH);
        const ConsumedCapacity: Capacity[] = [];
        await call('read', 'getAll', async () => {
          const RequestItems = { [TableName]: { Keys, ConsistentRead } };
          const answer = await client.send(new BatchGetCommand({ ...capacity, RequestItems }));
          found.push(...((answer.Responses?.[TableName] ?? []) as (T & Key)[]));
          ConsumedCapacity.push(...(answer.ConsumedCapacity ?? []));
          Keys = (answer.UnprocessedKeys?.[TableName]?.Keys ?? []) as Key[];
          if (Keys.length > 0) throw unprocessed();
          return { ConsumedCapacity };
        });
      }
      return found;
    },

    /** Follows a query to its end. Only for lists that are bounded by their nature. */
    queryAll: async <T extends Item>(input: Query): Promise<(T & Key)[]> => {
      const all: (T & Key)[] = [];
      let startAfter: Item | undefined;
      do {
        const { items, next } = await query<T>({ ...input, startAfter });
        all.push(...items);
        startAfter = next;
      } while (startAfter);
      return all;
    },
  };
};

const writes = ({ client, common, call }: Connection) => ({
  /** One update; its ReturnValues, or null when its condition failed. */
  update: async (key: Key, changes: Changes): Promise<Item | null> => {
    const command = new UpdateCommand({ ...common, Key: key, ...changes });
    try {
      return (await call('write', 'update', () => client.send(command))).Attributes ?? {};
    } catch (error) {
      if (isFailedCondition(error)) return null;
      throw error;
    }
  },

  /** Writes all or nothing: null, or the positions of the writes whose condition failed. */
  write: async (...list: Write[]): Promise<number[] | null> => {
    const command = writeCommand(common, list, randomUUID());
    try {
      await call('write', 'write', () => client.send(command as PutCommand));
      return null;
    } catch (error) {
      if (!isFailedCondition(error)) throw error;
      return list.length === 1 ? [0] : failedConditions(error);
    }
  },
});

/** Everything the stores do with the table. Reads are eventually consistent unless they say otherwise. */
export const createTable = (client: DynamoDBDocumentClient, name: string, meter?: Meter) => {
  const connection = connect(client, name, meter);
  return { ...reads(connection), ...writes(connection) };
};
export type TableReader = ReturnType<typeof reads>;
export type Table = ReturnType<typeof createTable>;
