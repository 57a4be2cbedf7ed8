import type { Table, TableReader } from './client.ts';
import { items } from './table.ts';

export const aliveReads = (table: TableReader) => ({
  /** Returns once the table has answered. It looks for what nobody writes, where nothing else is. */
  ask: async (): Promise<void> => {
    await table.get(items.health({}), false);
  },
});

export const alive = (table: Table) => aliveReads(table);
