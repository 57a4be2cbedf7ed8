import type { Provisioner, ProvisioningKey } from '#shared/domain/sensor/provisioning-key.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

const unused = { devices: 0, lastUsed: null };

export const provisioningReads = (table: TableReader) => ({
  /** Returns the provisioning key with this hash, or null if there is none or it has expired. */
  byHash: async (hash: string, now: number): Promise<Provisioner | null> => {
    const key = await table.get<Provisioner>(items.provisioningKey({ hash }));
    return key && (key.expires === null || key.expires > now) ? key : null;
  },
  list: () => table.queryAll<ProvisioningKey>({ pk: items.listedKey.pk({}) }),
});

/**
 * Returns the write that counts a new device against the provisioning key. It fails if the key has reached its limit or
 * was deleted.
 */
export const countDevice = ({ id: keyId, maxDevices }: Pick<Provisioner, 'id' | 'maxDevices'>, now: number): Write => {
  const hasRoom = maxDevices === null ? present : where('#devices < :maxDevices', { maxDevices });
  return {
    update: items.listedKey({ keyId }),
    changes: changes({ add: { devices: 1 }, set: { lastUsed: now }, if: hasRoom }),
  };
};

const provisioningWrites = (table: Table) => ({
  put: async (hash: string, key: Provisioner): Promise<void> => {
    await table.write(
      { put: { ...key, ...items.provisioningKey({ hash }) } },
      // Stored twice: by hash for registrations, and in the list, where uses are counted.
      { put: { ...key, ...unused, hash, ...items.listedKey({ keyId: key.id }) } },
    );
  },

  /** Records that a key was used without registering a new device. */
  recordUse: async (keyId: string, now: number): Promise<void> => {
    await table.update(items.listedKey({ keyId }), changes({ set: { lastUsed: now }, if: present }));
  },

  /** Deletes a key. Returns false if no key has that id. */
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

export const provisioning = (table: Table) => ({ ...provisioningReads(table), ...provisioningWrites(table) });
