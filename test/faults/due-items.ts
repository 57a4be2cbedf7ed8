import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { dynoxideClient } from '../fixtures/dynoxide.ts';

/** An item of the due index, and when (ms) it is due. */
export type DueItem = { what: string; time: number };

/**
 * Gives everything that waits in the due index of a table, whenever it is due, except the looks at sensors. One scan
 * costs a thirtieth of a query for each shard, as the sweep makes them.
 */
export const dueItemsOf = (endpoint: string, TableName: string) => {
  const client = dynoxideClient(endpoint);
  return async (): Promise<DueItem[]> => {
    const found: (Key & { dueAt: string })[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName, IndexName: 'due' }))
      found.push(...(Items as typeof found));
    return found
      .filter((key) => !items.sensorState.read(key))
      .map(({ pk, sk, dueAt }) => ({ what: `${pk} ${sk}`, time: Number(dueAt) }));
  };
};

/** Gives every item of a table as text, its keys first. */
export const everythingIn = (endpoint: string, TableName: string) => {
  const client = dynoxideClient(endpoint);
  return async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
      found.push(...Items.map(({ pk, sk, ...item }) => `${pk} ${sk} ${JSON.stringify(item)}`));
    return found;
  };
};
