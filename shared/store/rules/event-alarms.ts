import type { Table } from '../engine/client.ts';
import { endUnnotified } from './end-unnotified.ts';

const eventAlarmWrites = (table: Table) => ({
  /** Ends the alarm for an event that no one was notified of, if there is one. `alarmId` is the event uuid. */
  end: async (customerId: number, alarmId: string): Promise<void> => {
    await table.write(endUnnotified(customerId, alarmId));
  },
});

/** Event alarms. A separate noun, because most functions that end them do not read any. */
export const eventAlarms = (table: Table) => eventAlarmWrites(table);
