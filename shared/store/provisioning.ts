import type { ProvisioningKey } from '../domain/provisioning-key.ts';
import type { Table, TableReader } from './client.ts';
import { items } from './table.ts';

export const provisioningReads = (table: TableReader) => ({
  byHash: (hash: string) => table.get<ProvisioningKey>(items.provisioningKey({ hash }), true),
});

export const provisioningWrites = (table: Table) => ({
  put: async (hash: string, key: ProvisioningKey): Promise<void> => {
    await table.write({ put: { ...key, ...items.provisioningKey({ hash }) } });
  },
  remove: async (hash: string): Promise<void> => {
    await table.write({ remove: items.provisioningKey({ hash }) });
  },
});
