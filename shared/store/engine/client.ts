import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { requestHandlerOptions, withFreshSockets } from '#shared/aws/transport.ts';
import { isWorkEnded, markDoubtful } from '#shared/concurrency/endable-work.ts';
import type { Key } from '../key.ts';
import { type Changes, type Item, type Query, queryInput, type Write, writeCommand } from './request.ts';
import { failedConditions, isFailedCondition, withRetry } from './retry.ts';
import {
  BatchGetCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBDocumentClient,
  GetCommand,
  type PutCommand,
  QueryCommand,
  UpdateCommand,
} from './sdk.ts';
import { TableUnavailable } from './unavailable.ts';

/** Reports the units consumed by one call, for tests and benchmarks. */
export type Meter = (call: string, units: { read: number; write: number }) => void;

type Capacity = { CapacityUnits?: number | undefined };
type Metered = { ConsumedCapacity?: Capacity | Capacity[] | undefined };

/** The document client methods used by the store. */
export type TableClient = Pick<DynamoDBDocumentClient, 'send'>;

/** Returns a document client that drops `undefined`, as JSON does. */
export const documentClientOf = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/** Creates a client for the table. The SDK's own retries are off; retry.ts retries. */
export const documentClient = (config: DynamoDBClientConfig): DynamoDBDocumentClient =>
  documentClientOf(
    withFreshSockets(new DynamoDBClient({ requestHandler: requestHandlerOptions(), ...config, maxAttempts: 1 })),
  );

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const MAX_BATCH_KEYS = 100;

/** Creates the error for a partially processed batch. It is retried (retry.ts). */
const unprocessedKeys = () => Object.assign(new Error('the batch left keys unprocessed'), { name: 'UnprocessedKeys' });

const connect = (client: TableClient, name: string, meter: Meter | undefined) => {
  const common = { TableName: name, ...(meter && { ReturnConsumedCapacity: 'TOTAL' as const }) };
  const call = async <R extends Metered>(
    unit: 'read' | 'write',
    method: string,
    send: () => Promise<R>,
  ): Promise<R> => {
    let tries = 0;
    const response = await withRetry(() => {
      if (isWorkEnded()) throw new TableUnavailable('the caller has already been answered');
      tries += 1;
      if (unit === 'write' && tries > 1) markDoubtful();
      return send();
    });
    const capacities = [response.ConsumedCapacity ?? []].flat();
    const units = capacities.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    meter?.(method, { read: 0, write: 0, [unit]: units });
    return response;
  };
  return { client, common, call };
};
type Connection = ReturnType<typeof connect>;

const reads = ({ client, common, call }: Connection) => {
  const query = async <T extends Item>(input: Query): Promise<{ items: (T & Key)[]; next: Item | undefined }> => {
    // The table rejects a range that ends before it begins, such as when the last items in a list have expired.
    const [low = '', high = ''] = input.between ?? [];
    if (low > high) return { items: [], next: undefined };
    const command = new QueryCommand({ ...common, ...queryInput(input) });
    const response = await call('read', 'query', () => client.send(command));
    return { items: (response.Items ?? []) as (T & Key)[], next: response.LastEvaluatedKey };
  };
  const get = async <T extends Item>(key: Key, ConsistentRead = true): Promise<(T & Key) | null> => {
    const command = new GetCommand({ ...common, Key: key, ConsistentRead });
    return ((await call('read', 'get', () => client.send(command))).Item as (T & Key) | undefined) ?? null;
  };
  /**
   * Returns the existing items, in any order. Keys left unprocessed by the table are requested again after a pause,
   * like any call that fails temporarily. Throws TableUnavailable if some remain.
   */
  const getAll = async <T extends Item>(keys: readonly Key[], ConsistentRead = true): Promise<(T & Key)[]> => {
    const found: (T & Key)[] = [];
    const { TableName, ...capacity } = common;
    for (let at = 0; at < keys.length; at += MAX_BATCH_KEYS) {
      let Keys = keys.slice(at, at + MAX_BATCH_KEYS);
      const ConsumedCapacity: Capacity[] = [];
      await call('read', 'getAll', async () => {
        const RequestItems = { [TableName]: { Keys, ConsistentRead } };
        const response = await client.send(new BatchGetCommand({ ...capacity, RequestItems }));
        found.push(...((response.Responses?.[TableName] ?? []) as (T & Key)[]));
        ConsumedCapacity.push(...(response.ConsumedCapacity ?? []));
        Keys = (response.UnprocessedKeys?.[TableName]?.Keys ?? []) as Key[];
        if (Keys.length > 0) throw unprocessedKeys();
        return { ConsumedCapacity };
      });
    }
    return found;
  };
  return {
    query,

    get,

    /**
     * Reads an item with eventual consistency, at half the cost. The item may be a few seconds old. If none is found,
     * the read is repeated consistently, so that a lagging replica is never mistaken for a missing item.
     */
    getEventual: async <T extends Item>(key: Key): Promise<(T & Key) | null> =>
      (await get<T>(key, false)) ?? get<T>(key),

    getAll,

    /** Reads several items the way `getEventual` reads one. */
    getAllEventual: async <T extends Item>(keys: readonly Key[]): Promise<(T & Key)[]> => {
      const found = await getAll<T>(keys, false);
      const missing = keys.filter(({ pk, sk }) => !found.some((item) => item.pk === pk && item.sk === sk));
      return missing.length === 0 ? found : [...found, ...(await getAll<T>(missing))];
    },

    /** Reads a query to the end. Only for lists with a bounded length. */
    queryAll: async <T extends Item>(input: Query): Promise<(T & Key)[]> => {
      const found: (T & Key)[] = [];
      let startAfter: Item | undefined;
      do {
        const { items, next } = await query<T>({ ...input, startAfter });
        found.push(...items);
        startAfter = next;
      } while (startAfter);
      return found;
    },
  };
};

/** Whether the table looks as if the write succeeded. An item removed by another call counts as removed. */
const isDone = async (connection: Connection, write: Write): Promise<boolean> => {
  const { get } = reads(connection);
  if ('remove' in write) return (await get(write.remove)) === null;
  if (!('put' in write)) return false;
  const { pk, sk } = write.put;
  return isDeepStrictEqual(await get({ pk, sk }), JSON.parse(JSON.stringify(write.put)));
};

const writes = (connection: Connection) => ({
  /**
   * Updates one item. Returns the ReturnValues, or null if the condition failed. An attempt whose response is lost may
   * have succeeded, and the retry is applied on top of it: a count may be one too high, and null may result from the
   * caller's own change. Where this matters, the caller marks the change and checks for the mark (`claim` in
   * attempts.ts).
   */
  update: async (key: Key, changes: Changes): Promise<Item | null> => {
    const { client, common, call } = connection;
    const command = new UpdateCommand({ ...common, Key: key, ...changes });
    try {
      return (await call('write', 'update', () => client.send(command))).Attributes ?? {};
    } catch (error) {
      if (isFailedCondition(error)) return null;
      throw error;
    }
  },

  /**
   * Writes all or nothing. Returns null, or the positions of writes with a failed condition. An attempt whose response
   * is lost may have succeeded: a transaction is recognized by its token, and if the condition on a single put or
   * removal fails after a retry, the item is checked before the failure is reported.
   */
  write: async (...list: Write[]): Promise<number[] | null> => {
    const { client, common, call } = connection;
    const command = writeCommand(common, list, randomUUID());
    let tries = 0;
    const attempt = () => {
      tries += 1;
      return client.send(command as PutCommand);
    };
    try {
      await call('write', 'write', attempt);
      return null;
    } catch (error) {
      if (!isFailedCondition(error)) throw error;
      const [only, ...others] = list;
      if (others.length > 0) return failedConditions(error);
      return tries > 1 && only && (await isDone(connection, only)) ? null : [0];
    }
  },
});

/**
 * Creates the table as used by the store. Reads are consistent, except on an index and in calls with `Eventual` in
 * their names.
 */
export const createTable = (client: TableClient, name: string, meter?: Meter) => {
  const connection = connect(client, name, meter);
  return { ...reads(connection), ...writes(connection) };
};
export type TableReader = ReturnType<typeof reads>;
export type Table = ReturnType<typeof createTable>;
