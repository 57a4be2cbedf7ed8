import type { Table } from '#shared/store/engine/client.ts';
import type { Write } from '#shared/store/engine/request.ts';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';

/** What a write may have changed: a sensor's state or room, or the list of sensors, groups or customers. */
export type Change = { kind: 'state' | 'room'; sensorId: string } | { kind: 'lists' };

const writtenKey = (write: Write): Key | null => {
  if ('put' in write) return write.put;
  if ('remove' in write) return write.remove;
  return 'update' in write ? write.update : null;
};

const changeOf = (key: Key, customerId: number): Change | null => {
  const isOwn = (values: { customerId: string } | null) => Number(values?.customerId) === customerId;
  // Most writes concern other items, and this check is faster than reading their keys.
  if (!key.pk.startsWith(`C#${customerId}`)) return null;
  const state = items.sensorState.read(key) ?? null;
  if (state) return isOwn(state) ? { kind: 'state', sensorId: state.sensorId } : null;
  const room = items.room.read(key) ?? null;
  if (room) return isOwn(room) ? { kind: 'room', sensorId: room.sensorId } : null;
  const isListed = [items.sensor, items.sensorGroup, items.groupMember].some((item) => isOwn(item.read(key)));
  return isListed ? { kind: 'lists' } : null;
};

/** Returns a table that reports changes to a customer's data. `customerId` returns null until the customer is known. */
export const observedTable = (
  table: Table,
  customerId: () => number | null,
  onChange: (change: Change) => void,
): Table => {
  const report = (keys: readonly (Key | null)[]): void => {
    const id = customerId();
    for (const key of keys) {
      if (!key) continue;
      const isCustomer = id === null && items.listedCustomer.read(key) !== null;
      const change = id === null ? null : changeOf(key, id);
      if (isCustomer) onChange({ kind: 'lists' });
      else if (change) onChange(change);
    }
  };
  return {
    ...table,
    update: async (key, changes) => {
      const result = await table.update(key, changes);
      report([key]);
      return result;
    },
    write: async (...list) => {
      const result = await table.write(...list);
      report(list.map(writtenKey));
      return result;
    },
  };
};
