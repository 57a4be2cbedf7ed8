import type { Table, TableReader } from '../engine/client.ts';
import { absent } from '../engine/request.ts';
import { items } from '../table.ts';

/** The key that signs addresses for acknowledging, sealed. */
type AddressKey = { sealed: string };

export const addressKeyReads = (table: TableReader) => {
  let known: string | undefined;
  return {
    /** The sealed key; null: none was made yet. It never changes, so a process reads it once. */
    get: async (): Promise<string | null> => {
      known ??= (await table.get<AddressKey>(items.addressKey({})))?.sealed;
      return known ?? null;
    },
  };
};

const addressKeyWrites = (table: Table) => ({
  /** Keeps a sealed key, unless there is one by now. */
  keep: async (sealed: string): Promise<void> => {
    await table.write({ put: { ...items.addressKey({}), sealed }, where: absent });
  },
});

export const addressKeys = (table: Table) => ({ ...addressKeyReads(table), ...addressKeyWrites(table) });
