import type { Table } from '../engine/client.ts';
import { endUnnotified } from './end-unnotified.ts';

const eventAlarmWrites = (table: Table) => ({
  /** Ends the alarm of an event that nobody was notified of, if there is one. `alarmId` is the uuid of the event. */
  end: async (customerId: number, alarmId: string): Promise<void> => {
    await table.write(endUnnotified(customerId, alarmId));
  },
});

/** The alarms of events. A separate noun, because most functions that end them read none. */
export const eventAlarms = (table: Table) => eventAlarmWrites(table);
