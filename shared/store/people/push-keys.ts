import type { PushKey } from '#shared/domain/people/channel.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent } from '../engine/request.ts';
import { items } from '../table.ts';

export const pushKeyReads = (table: TableReader) => {
  let cached: PushKey | undefined;
  return {
    /**
     * Returns the key that signs push messages, or null if none exists yet. It never changes, so a process reads it
     * once.
     */
    get: async (): Promise<PushKey | null> => {
      cached ??= (await table.get<PushKey>(items.pushKey({}))) ?? undefined;
      return cached ?? null;
    },
  };
};

const pushKeyWrites = (table: Table) => ({
  /** Stores a key, unless one exists. */
  keep: async ({ publicKey, sealed }: PushKey): Promise<void> => {
    await table.write({ put: { ...items.pushKey({}), publicKey, sealed }, where: absent });
  },
});

export const pushKeys = (table: Table) => ({ ...pushKeyReads(table), ...pushKeyWrites(table) });
