import { fallOfKey } from '#shared/domain/event/fall-key.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import { urgentSituationOf } from '#shared/domain/rule/alarm.ts';
import { UNCLEAR_MS } from '#shared/domain/sensor/sensor-state.ts';
import type { TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import type { EventItem, MessageItem } from '../sensors/events.ts';
import { items } from '../table.ts';
import type { Candidate } from './alarm-walk.ts';

/** How an alarm ended, and when (ms). */
export type AlarmEnd = { date: number; by: 'device' | 'closure' | 'time' };
/** The urgent events found for an alarm, ordered by receipt, and how the alarm ended. */
export type AlarmEvents = { urgent: EventItem[]; end: AlarmEnd | null };

/** How long (ms) before an alarm the search for events begins, unless the start of the fall shows where to begin. */
const MARGIN_MS = 60_000;
/** The minimum time (ms) from the start of a fall to the alarm, unless the device clock is ahead. */
const SOON_MS = 10_000;
/** How far (ms) an event date may be ahead of the service clock. */
const MAX_AHEAD_MS = 6 * 60_000;
/** The number of events read at once. Nine cost half a read unit. Most falls end within the first page. */
const PAGES = [8, 56, 192] as const;

type IsEnd = (event: EventItem) => boolean;

/** Reads sensor events from one time (ms) to another, stopping at an end or when a maximum is reached. */
const readEvents = async (
  table: TableReader,
  { customerId, sensorId }: { customerId: number; sensorId: string },
  { from, to, isEnd }: { from: number; to: number; isEnd: IsEnd },
): Promise<EventItem[]> => {
  const skAt = (eventId: number) => items.event.sk({ eventId, uuid: '' });
  const between = [skAt(firstIdAt(from)), skAt(firstIdAt(to))] as const;
  const found: EventItem[] = [];
  let startAfter: Item | undefined;
  for (const limit of PAGES) {
    const query = { pk: items.event.pk({ customerId, sensorId }), between, limit, startAfter, consistent: false };
    const page = await table.query<EventItem>(query);
    found.push(...page.items);
    startAfter = page.next;
    if (!startAfter || page.items.some(isEnd)) break;
  }
  return found;
};

/**
 * Whether an event ends a fall. An event that ends a track's fall ends all alarms the track has raised since it fell.
 */
const endsFall = (fall: string): IsEnd => {
  const { start, track } = fallOfKey(fall);
  return ({ type, action, fall: key }) => {
    if (type !== 'fall' || key === undefined || (action !== 'finished' && action !== 'canceled')) return false;
    if (key === fall || track === null) return key === fall;
    const other = fallOfKey(key);
    return other.track === track && other.start >= start;
  };
};

const byReceipt = (one: EventItem, other: EventItem): number =>
  one.receiveDate - other.receiveDate || one.id - other.id;

/**
 * Returns how an alarm ended. An end reported by a device counts at once. An end by time counts two hours later, as in
 * the list of open falls.
 */
const endOf = (event: EventItem, alarmDate: number, now: number): AlarmEnd | null => {
  const { source, receiveDate, createDate } = event;
  if (source !== null) return { date: Math.max(alarmDate, receiveDate), by: 'device' };
  const date = createDate + UNCLEAR_MS;
  return date <= now ? { date, by: 'time' } : null;
};

/** The current time (ms), and when (ms) people closed the fall. */
type Closing = { now: number; closedAt: number | null };

/** Returns the events in a fall. */
const fallEvents = async (
  table: TableReader,
  customerId: number,
  { sensorId, date, fall }: Candidate & { fall: string },
  { now, closedAt }: Closing,
): Promise<AlarmEvents> => {
  const isEnd = endsFall(fall);
  const { start } = fallOfKey(fall);
  const from = start <= date - SOON_MS ? start : date - MARGIN_MS;
  const to = closedAt === null ? Number.MAX_SAFE_INTEGER : Math.max(date, closedAt) + MAX_AHEAD_MS;
  const found = await readEvents(table, { customerId, sensorId }, { from, to, isEnd });
  const urgent = found.filter((event) => event.fall === fall && urgentSituationOf(event) !== null).toSorted(byReceipt);
  const last = found.find(isEnd);
  // Closing a fall creates such an event too, but it would count two hours after the closure.
  const reported = last ? endOf(last, date, now) : null;
  const closed: AlarmEnd | null = closedAt === null ? null : { date: closedAt, by: 'closure' };
  if (!reported || !closed) return { urgent, end: reported ?? closed };
  return { urgent, end: reported.date < closed.date ? reported : closed };
};

/** Returns when an offline sensor came back online. */
const offlineEvents = async (table: TableReader, customerId: number, candidate: Candidate): Promise<AlarmEvents> => {
  const { sensorId, uuid, date } = candidate;
  const isActive: IsEnd = ({ type, action, receiveDate }) =>
    type === 'sensor' && action === 'active' && receiveDate > date - MARGIN_MS;
  const span = { from: date - MARGIN_MS, to: Number.MAX_SAFE_INTEGER };
  const found = await readEvents(table, { customerId, sensorId }, { ...span, isEnd: isActive });
  const own = found.find((event) => event.uuid === uuid);
  const active = found.find((event) => isActive(event) && event.receiveDate >= (own?.receiveDate ?? date));
  const end: AlarmEnd | null = active ? { date: Math.max(date, active.receiveDate), by: 'device' } : null;
  return { urgent: own ? [own] : [], end };
};

/** Returns the events for an alarm. Alarms about vital signs have no end. */
export const eventsOfAlarm = async (
  table: TableReader,
  customerId: number,
  candidate: Candidate,
  closing: Closing,
): Promise<AlarmEvents> => {
  const { situation, fall } = candidate;
  if (situation === 'sensor_inactive') return offlineEvents(table, customerId, candidate);
  if (fall !== null) return fallEvents(table, customerId, { ...candidate, fall }, closing);
  return { urgent: [], end: null };
};

/** Returns the event for an alarm. The event is written after the hits. */
export const eventOfAlarm = async (
  table: TableReader,
  customerId: number,
  { sensorId, uuid, eventId }: Candidate,
): Promise<EventItem | null> => {
  const key = { customerId, sensorId, uuid };
  const message = eventId === null ? await table.get<MessageItem>(items.message(key), false) : { id: eventId };
  return message && table.get<EventItem>(items.event({ ...key, eventId: message.id }), false);
};
