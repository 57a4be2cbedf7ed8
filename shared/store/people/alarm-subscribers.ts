import type { Table, TableReader } from '../engine/client.ts';
import { items } from '../table.ts';

/**
 * What the last alarm check found: the ids of confirmed subscriptions, and when (ms) it last reported how many there
 * are.
 */
type AlarmSubscribers = { known: readonly string[]; reported: number };

export const alarmSubscribersReads = (table: TableReader) => ({
  get: () => table.get<AlarmSubscribers>(items.alarmSubscribers({})),
});

const alarmSubscribersWrites = (table: Table) => ({
  put: async (subscribers: AlarmSubscribers): Promise<void> => {
    await table.write({ put: { ...subscribers, ...items.alarmSubscribers({}) } });
  },
});

export const alarmSubscribers = (table: Table) => ({
  ...alarmSubscribersReads(table),
  ...alarmSubscribersWrites(table),
});
