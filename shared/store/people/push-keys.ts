import type { PushKey } from '#shared/domain/people/channel.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent } from '../engine/request.ts';
import { items } from '../table.ts';

export const pushKeyReads = (table: TableReader) => {
  let known: PushKey | undefined;
  return {
    /** The key that pushes are signed with; null: none was made yet. It never changes, so a process reads it once. */
    get: async (): Promise<PushKey | null> => {
      known ??= (await table.get<PushKey>(items.pushKey({}))) ?? undefined;
      return known ?? null;
    },
  };
};

const pushKeyWrites = (table: Table) => ({
  /** Keeps a key, unless there is one by now. */
  keep: async ({ publicKey, sealed }: PushKey): Promise<void> => {
    await table.write({ put: { ...items.pushKey({}), publicKey, sealed }, where: absent });
  },
});

export const pushKeys = (table: Table) => ({ ...pushKeyReads(table), ...pushKeyWrites(table) });
