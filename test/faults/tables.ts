import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '#lib/local/clock.ts';
import { tableClient } from '#lib/local/table/client.ts';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { openStorage } from '#lib/local/table/storage.ts';
import { parseDocument } from '#lib/local/table/values.ts';
import type { TableClient } from '#shared/store/engine/client.ts';
import type { Key } from '#shared/store/key.ts';
import { dynoxideClient, startDynoxide } from '../fixtures/dynoxide.ts';

export const TABLE_NAME = 'sensor-cloud';
type Item = Key & Record<string, unknown>;

/** A fault world's table, empty at first. */
export type FaultTable = {
  /** Calls the table without faults. */
  client: TableClient;
  /** Returns every item, or those in the `due` index. */
  scan: (index?: 'due') => Promise<Item[]>;
  stop: () => Promise<void>;
  /** The client used by the cloud, if the table is in another process. Its bytes and sockets can fail. */
  remote?: { endpoint: string; client: DynamoDBDocumentClient };
};

export type OpenTable = (clock: Clock) => Promise<FaultTable>;

/** Starts dynoxide, which is called through the SDK, like DynamoDB. */
export const startRemoteTable: OpenTable = async () => {
  const { endpoint, stop } = await startDynoxide();
  await ensureTable(endpoint, TABLE_NAME);
  const client = dynoxideClient(endpoint);
  const plain = dynoxideClient(endpoint);
  return {
    client: plain,
    remote: { endpoint, client },
    scan: async (IndexName) => {
      const found: Item[] = [];
      for await (const { Items = [] } of paginateScan(
        { client: plain },
        { TableName: TABLE_NAME, ...(IndexName && { IndexName }) },
      ))
        found.push(...(Items as Item[]));
      return found;
    },
    stop: async () => {
      client.destroy();
      plain.destroy();
      await stop();
    },
  };
};

/** Opens a table in this process, which halves the CPU time per run. */
export const openNearTable: OpenTable = async ({ now }) => {
  const { database, rows, turns, close } = openStorage(':memory:', { freezes: true });
  return {
    client: tableClient(rows, turns, TABLE_NAME, now),
    scan: async (index) => {
      const condition = index ? 'WHERE duePk IS NOT NULL AND dueAt IS NOT NULL' : '';
      const found = database.prepare(`SELECT item FROM items ${condition}`).all();
      return found.map(({ item }) => parseDocument(String(item)) as Item);
    },
    stop: close,
  };
};
