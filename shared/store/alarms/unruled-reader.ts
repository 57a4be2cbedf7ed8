import { kinds } from '#shared/domain/kinds.ts';
import { type UrgentSituation, urgentSituations } from '#shared/domain/rule/alarm.ts';
import type { TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';

/** An urgent event for which no rule fired. `date`: when (ms) its cause was received. */
export type UnruledAlarm = {
  date: number;
  uuid: string;
  eventId: number;
  sensorId: string;
  situation: UrgentSituation;
  fall: string | null;
};

/** Returns the alarm in a list row. */
export const unruledAlarm = ({ listSk, ...key }: Key & { listSk: string }): UnruledAlarm[] => {
  const event = items.event.read(key);
  const [date = '', action = '', fall = ''] = listSk.split('#');
  const situation = urgentSituations.find((urgent) => kinds[urgent].action === action);
  if (!event || !situation) return [];
  const { uuid, sensorId, eventId } = event;
  return [{ date: Number(date), uuid, eventId: Number(eventId), sensorId, situation, fall: fall || null }];
};

/** Returns the list range from one time (ms) to another, both included. */
export const unruledBetween = (from: number, to: number) => {
  const bound = (receiveDate: number) => lists.alarmsWithoutRule.sk({ receiveDate, action: '', fall: '' });
  return [bound(from), bound(Math.min(to, Number.MAX_SAFE_INTEGER - 1) + 1)] as const;
};

/**
 * Alarms without a rule, read in chunks like the hits in hit-reader.ts: newest first, and by uuid if received at the
 * same time.
 */
export type UnruledReader = { alarms: UnruledAlarm[]; isEnd: boolean; more: () => Promise<void> };

/** The number of rows in a chunk: 4 KB hold about 20. */
const CHUNK = 40;

const newestFirst = (one: UnruledAlarm, other: UnruledAlarm): number =>
  other.date - one.date || (one.uuid < other.uuid ? 1 : -1);

/** Reads a customer's alarms in a time span (ms, both ends included) for which no rule fired. */
export const readUnruled = (
  table: TableReader,
  { customerId, from, to }: { customerId: number; from: number; to: number },
): UnruledReader => {
  const list = { index: 'list', pk: lists.alarmsWithoutRule.pk({ customerId }), newestFirst: true } as const;
  const between = unruledBetween(from, to);
  let startAfter: Item | undefined;
  let unsorted: UnruledAlarm[] = [];
  const reader: UnruledReader = {
    alarms: [],
    isEnd: false,
    more: async () => {
      const query = { ...list, between, limit: CHUNK, startAfter };
      const { items: rows, next } = await table.query<{ listSk: string }>(query);
      unsorted.push(...rows.flatMap(unruledAlarm));
      startAfter = next;
      reader.isEnd = !next;
      // More alarms received at the same time as the last one may follow, and may have to be sorted before it.
      const last = unsorted.at(-1)?.date;
      const isWhole = ({ date }: UnruledAlarm) => reader.isEnd || date !== last;
      reader.alarms.push(...unsorted.filter(isWhole).toSorted(newestFirst));
      unsorted = unsorted.filter((alarm) => !isWhole(alarm));
    },
  };
  return reader;
};
