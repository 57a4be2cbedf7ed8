import type { Table, TableReader } from '../engine/client.ts';
import { absent } from '../engine/request.ts';
import { items } from '../table.ts';

/** The key that signs acknowledgement links. `sealed` is the encrypted key. */
type AddressKey = { sealed: string };

export const addressKeyReads = (table: TableReader) => {
  let cached: string | undefined;
  return {
    /** Returns the encrypted key, or null if none exists yet. It never changes, so a process reads it once. */
    get: async (): Promise<string | null> => {
      cached ??= (await table.get<AddressKey>(items.addressKey({})))?.sealed;
      return cached ?? null;
    },
  };
};

const addressKeyWrites = (table: Table) => ({
  /** Stores an encrypted key, unless one exists. */
  keep: async (encryptedKey: string): Promise<void> => {
    await table.write({ put: { ...items.addressKey({}), sealed: encryptedKey }, where: absent });
  },
});

export const addressKeys = (table: Table) => ({ ...addressKeyReads(table), ...addressKeyWrites(table) });
