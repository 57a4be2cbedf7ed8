import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { transport, withFreshSockets } from '#shared/aws/transport.ts';
import { isOver, noteDoubt } from '#shared/concurrency/endable.ts';
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

/** Reports the units that one call consumed: for tests and benchmarks. */
export type Meter = (call: string, units: { read: number; write: number }) => void;

type Capacity = { CapacityUnits?: number | undefined };
type Metered = { ConsumedCapacity?: Capacity | Capacity[] | undefined };

/** The part of a document client that the store uses. */
export type TableClient = Pick<DynamoDBDocumentClient, 'send'>;

/** Makes a document client, which leaves out `undefined` as JSON does. */
export const documentClientOf = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/** A client for the table. The SDK makes no retries: retry.ts does. */
export const documentClient = (config: DynamoDBClientConfig): DynamoDBDocumentClient =>
  documentClientOf(withFreshSockets(new DynamoDBClient({ requestHandler: transport(), ...config, maxAttempts: 1 })));

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
const LONGEST_BATCH = 100;

/** The error for a batch that was answered in part, which is retried (retry.ts). */
const unprocessed = () => Object.assign(new Error('keys were left unprocessed'), { name: 'UnprocessedKeys' });

const connect = (client: TableClient, name: string, meter: Meter | undefined) => {
  const common = { TableName: name, ...(meter && { ReturnConsumedCapacity: 'TOTAL' as const }) };
  const call = async <R extends Metered>(unit: 'read' | 'write', what: string, send: () => Promise<R>): Promise<R> => {
    let tries = 0;
    const answer = await withRetry(() => {
      if (isOver()) throw new TableUnavailable('the call was answered before this');
      tries += 1;
      if (unit === 'write' && tries > 1) noteDoubt();
      return send();
    });
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
  const get = async <T extends Item>(key: Key, ConsistentRead = true): Promise<(T & Key) | null> => {
    const command = new GetCommand({ ...common, Key: key, ConsistentRead });
    return ((await call('read', 'get', () => client.send(command))).Item as (T & Key) | undefined) ?? null;
  };
  /**
   * Items that do not exist are left out, the order is free. Keys that the table leaves unprocessed are asked for
   * again after a pause, as after any trouble that passes: TableUnavailable when they stay so.
   */
  const getAll = async <T extends Item>(keys: readonly Key[], ConsistentRead = true): Promise<(T & Key)[]> => {
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
  };
  return {
    query,

    get,

    /**
     * An eventually consistent read, at half the price. What it finds may be as old as some seconds; what it does not
     * find is read again consistently, so that nobody takes a lagging replica for an absent item.
     */
    getEventual: async <T extends Item>(key: Key): Promise<(T & Key) | null> =>
      (await get<T>(key, false)) ?? get<T>(key),

    getAll,

    /** Reads several items as `getEventual` reads one. */
    getAllEventual: async <T extends Item>(keys: readonly Key[]): Promise<(T & Key)[]> => {
      const found = await getAll<T>(keys, false);
      const missing = keys.filter(({ pk, sk }) => !found.some((item) => item.pk === pk && item.sk === sk));
      return missing.length === 0 ? found : [...found, ...(await getAll<T>(missing))];
    },

    /** Reads a query to its end. Only for lists that are bounded by their nature. */
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

/** Does the table look as if the write was done? An item that another call removed meanwhile counts as removed. */
const isDone = async (connection: Connection, write: Write): Promise<boolean> => {
  const { get } = reads(connection);
  if ('remove' in write) return (await get(write.remove)) === null;
  if (!('put' in write)) return false;
  const { pk, sk } = write.put;
  return isDeepStrictEqual(await get({ pk, sk }), JSON.parse(JSON.stringify(write.put)));
};

const writes = (connection: Connection) => ({
  /**
   * One update; its ReturnValues, or null when its condition failed. A try without an answer may have been carried out,
   * and the next one comes on top: a sum may count once too often, and null may be the answer to one's own change. Where
   * that matters the caller marks its change and looks for the mark (deliveries.ts, `claim`).
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
   * Writes all or nothing: null, or the positions of the writes whose condition failed. A try without an answer may have
   * been carried out: a transaction is known again by its token, and where one write is to put or to remove, the table
   * is asked before a failed condition is believed.
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

/** The table as the store uses it. Reads are consistent, except those of an index and those whose names say otherwise. */
export const createTable = (client: TableClient, name: string, meter?: Meter) => {
  const connection = connect(client, name, meter);
  return { ...reads(connection), ...writes(connection) };
};
export type TableReader = ReturnType<typeof reads>;
export type Table = ReturnType<typeof createTable>;
