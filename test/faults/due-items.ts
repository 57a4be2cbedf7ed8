import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { dynoxideClient } from '../fixtures/dynoxide.ts';

/** An item of the index `due`, and when (ms) it is due. */
export type DueItem = { name: string; time: number };

/**
 * Creates a function that returns all items of the index `due`, whenever they are due, except checks of sensors. One scan
 * costs a thirtieth of a query for each shard, which is how the sweep reads them.
 */
export const dueItemsOf = (endpoint: string, TableName: string) => {
  const client = dynoxideClient(endpoint);
  return async (): Promise<DueItem[]> => {
    const found: (Key & { dueAt: string })[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName, IndexName: 'due' }))
      found.push(...(Items as typeof found));
    return found
      .filter((key) => !items.sensorState.read(key))
      .map(({ pk, sk, dueAt }) => ({ name: `${pk} ${sk}`, time: Number(dueAt) }));
  };
};

/** Creates a function that returns every item of a table as text, keys first. */
export const everythingIn = (endpoint: string, TableName: string) => {
  const client = dynoxideClient(endpoint);
  return async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
      found.push(...Items.map(({ pk, sk, ...item }) => `${pk} ${sk} ${JSON.stringify(item)}`));
    return found;
  };
};
