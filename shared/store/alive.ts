import type { Table, TableReader } from './client.ts';
import { items } from './table.ts';

export const aliveReads = (table: TableReader) => ({
  /** Returns once the table has answered a read of an item that nobody writes, in a partition of its own. */
  ask: async (): Promise<void> => {
    await table.get(items.health({}), false);
  },
});

export const alive = (table: Table) => aliveReads(table);
