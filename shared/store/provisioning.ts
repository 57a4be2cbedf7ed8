import type { ProvisioningKey } from '../domain/provisioning-key.ts';
import type { Table, TableReader } from './client.ts';
import { present } from './request.ts';
import { items } from './table.ts';

export const provisioningReads = (table: TableReader) => ({
  byHash: (hash: string) => table.get<ProvisioningKey>(items.provisioningKey({ hash })),
  list: () => table.queryAll<ProvisioningKey>({ pk: items.listedKey.pk({}) }),
});

export const provisioningWrites = (table: Table) => ({
  put: async (hash: string, key: ProvisioningKey): Promise<void> => {
    await table.write(
      { put: { ...key, ...items.provisioningKey({ hash }) } },
      // Kept twice: where a device that brings the key finds it, and where all are listed.
      { put: { ...key, hash, ...items.listedKey({ keyId: key.id }) } },
    );
  },

  /** A key opens nothing from now on; false: there is none with that id. */
  remove: async (keyId: string): Promise<boolean> => {
    const listed = items.listedKey({ keyId });
    const found = await table.get<{ hash: string }>(listed);
    if (!found) return false;
    const { hash } = found;
    return (
      (await table.write({ remove: listed, where: present }, { remove: items.provisioningKey({ hash }) })) === null
    );
  },
});
