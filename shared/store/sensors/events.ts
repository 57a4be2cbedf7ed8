import type { Decision } from '#shared/domain/event/decision.ts';
import {
  EVENT_RETENTION,
  type EventRegion,
  type NormalizedCoordinates,
  type Notice,
} from '#shared/domain/event/event.ts';
import { fittingPage, MAX_LISTED_BYTES } from '#shared/domain/event/raw.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { PartialPage } from '#shared/domain/page.ts';
import type { HitAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import { type ReadBounds, readFirst, readPage } from '../engine/bounded-page.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, GRACE_MS } from '../engine/due.ts';
import type { NewestPageQuery } from '../engine/newest-page.ts';
import { absent, type Item, type Write, where } from '../engine/request.ts';
import { items, lists } from '../table.ts';

/** A device message that created an event, with the bytes as text. `id`: the id of the first event from the message. */
export type Message = {
  id: number;
  uuid: string;
  customerId: number;
  sensorId: string;
  receiveDate: number;
  raw: string;
};

/** An event at a sensor. `raw`: the bytes of the message that caused it, or `{}` if the service created the event. */
export type Event = Message & {
  createDate: number;
  type: string;
  action: string;
  code: number | null;
  coordinates: NormalizedCoordinates | null;
  /** Without the region id, which would take up much of the item. */
  region?: Pick<EventRegion, 'index' | 'name'>;
};

/** An event in a list. `raw` is null if the bytes are long, or do not fit into the page. */
export type ListedEvent = Omit<Event, 'raw'> & { raw: string | null };

/**
 * An event as stored, sorted by time. The customer and the sensor are only in the key. `source`: the UUID of the
 * message holding the bytes, or null if the service created the event; `isLong`: the bytes are too long for a list.
 */
export type EventItem = Omit<Event, 'raw' | 'customerId' | 'sensorId'> & {
  source: string | null;
  isLong?: true;
  /** The fall key, if the event is about a fall (shared/domain/event/fall-key.ts). */
  fall?: string;
};

/** The item with an event UUID: the event id, and the bytes if a device message has this UUID. */
export type MessageItem = { id: number; receiveDate: number; raw?: string };

/**
 * A pending service notice about a sensor. `webhookId`: the webhook it is about, which does not receive it;
 * `acknowledgement`: an alarm acknowledgement, if the notice reports one; `fall`: the key of a fall whose answer has
 * changed, which is all that `fall_changed` reports.
 */
export type NoticeItem = {
  notice: Notice | 'fall_changed';
  fall?: string;
  receiveDate: number;
  webhookId?: string | undefined;
  acknowledgement?: HitAcknowledgement;
};

type SensorKey = { customerId: number; sensorId: string };

/** An event takes about 450 bytes, or 500 with a region, so a chunk costs at most about 60 read units. */
const BOUNDS: ReadBounds = { stretch: 1_000, stretches: 4 };

const ttlOf = (time: number) => Math.ceil((time + EVENT_RETENTION) / 1_000);
/** Messages are kept a day longer than events, because events stay readable a little longer than they are kept. */
const messageTtl = (time: number) => ttlOf(time + 86_400_000);
export const isLong = (raw: string): boolean => Buffer.byteLength(raw) > MAX_LISTED_BYTES;

const messageKey = ({ customerId, sensorId }: SensorKey, uuid: string) => items.message({ customerId, sensorId, uuid });
const eventKey = (key: SensorKey, { id: eventId, uuid }: { id: number; uuid: string }) =>
  items.event({ ...key, eventId, uuid });
/** Returns the sort key range for the event ids `from` to `to`. */
const between = (from: number, to: number): [string, string] => {
  const startingAt = (eventId: number) => items.event.sk({ eventId: Math.max(0, eventId), uuid: '' });
  return [startingAt(from), startingAt(to + 1)];
};

const withOwner = (
  { customerId, sensorId }: SensorKey,
  { source: _, isLong: __, fall: ___, ...event }: EventItem,
): Omit<Event, 'raw'> => ({
  ...event,
  customerId,
  sensorId,
});

/** Adds the bytes to sensor events, if they are short and fit into the page. Events may share a message. */
const withShortBytes = async (
  table: TableReader,
  key: SensorKey,
  events: readonly EventItem[],
): Promise<ListedEvent[]> => {
  const uuids = new Set(events.flatMap(({ source, isLong }) => (source === null || isLong ? [] : [source])));
  const keys = [...uuids].map((uuid) => messageKey(key, uuid));
  const messages = await table.getAllEventual<MessageItem>(keys);
  const rawOf = new Map(messages.map(({ sk, pk, raw }) => [items.message.read({ pk, sk })?.uuid, raw]));
  const raws = fittingPage(events.map(({ source }) => (source === null ? '{}' : (rawOf.get(source) ?? null))));
  return events.map((event, at) => ({ ...withOwner(key, event), raw: raws[at] ?? null }));
};

export const eventReads = (table: TableReader) => ({
  /** Returns an event by UUID, with the message bytes. */
  get: async (customerId: number, sensorId: string, uuid: string): Promise<Event | null> => {
    const key = { customerId, sensorId };
    const message = await table.get<MessageItem>(messageKey(key, uuid));
    const event = message && (await table.get<EventItem>(eventKey(key, { id: message.id, uuid })));
    if (!message || !event) return null;
    const { source } = event;
    const origin = source === null || source === uuid ? message : await table.get<MessageItem>(messageKey(key, source));
    // If the event has its own UUID, the message may have expired.
    return { ...withOwner(key, event), raw: source === null ? '{}' : (origin?.raw ?? 'null') };
  },

  /** Returns the message bytes, which never change, or null if there is no such message. */
  bytes: async (customerId: number, sensorId: string, uuid: string): Promise<string | null> =>
    (await table.getEventual<MessageItem>(messageKey({ customerId, sensorId }, uuid)))?.raw ?? null,

  /**
   * Returns a page of sensor events, newest first. Leaves out expired events, even if they have not been removed yet.
   */
  list: async (
    customerId: number,
    sensorId: string,
    now: number,
    query: NewestPageQuery,
  ): Promise<PartialPage<ListedEvent>> => {
    const key = { customerId, sensorId };
    const pk = items.event.pk(key);
    const { data, ...page } = await readPage(query, BOUNDS, async (after: number | undefined, limit) => {
      const range = between(firstIdAt(now - EVENT_RETENTION), (after ?? Number.MAX_SAFE_INTEGER) - 1);
      const { rows, isWhole } = await readFirst<EventItem>(table, { pk, between: range, newestFirst: true }, limit);
      return { rows, next: isWhole ? undefined : rows.at(-1)?.id };
    });
    return { ...page, data: await withShortBytes(table, key, data) };
  },

  /**
   * Whether a decision has been applied as of `now` (ms). The last event is written after everything else. When it has
   * expired, so has everything else, and no one needs to be notified anymore.
   */
  isApplied: async (customerId: number, sensorId: string, { decided }: Decision, now: number): Promise<boolean> => {
    const last = decided.at(-1);
    if (!last || last.receiveDate + EVENT_RETENTION <= now) return true;
    return (await table.getEventual(eventKey({ customerId, sensorId }, last))) !== null;
  },

  /**
   * Returns the UUID of the newest message behind an event about a fall, or null if there is none among the last
   * hundred sensor events.
   */
  newestMessageOfFall: async (customerId: number, sensorId: string, fall: string): Promise<string | null> => {
    const pk = items.event.pk({ customerId, sensorId });
    const query = { pk, between: between(0, Number.MAX_SAFE_INTEGER - 1), newestFirst: true, limit: 25 };
    let startAfter: Item | undefined;
    for (let pages = 0; pages < 4; pages++) {
      const page = await table.query<EventItem>({ ...query, startAfter });
      const newest = page.items.find((event) => event.fall === fall && event.source !== null);
      if (newest) return newest.source;
      startAfter = page.next;
      if (!startAfter) break;
    }
    return null;
  },

  /** Whether an event with this UUID has been written. */
  exists: async (customerId: number, sensorId: string, uuid: string): Promise<boolean> =>
    (await table.get(messageKey({ customerId, sensorId }, uuid))) !== null,

  notice: (customerId: number, sensorId: string, uuid: string) =>
    table.get<NoticeItem>(items.notice({ customerId, sensorId, uuid })),
});

/** Returns the write for a notice, which is due until it is processed. */
export const putNotice = ({ customerId, sensorId }: SensorKey, uuid: string, { webhookId, ...notice }: NoticeItem) => ({
  put: {
    ...items.notice({ customerId, sensorId, uuid }),
    ...notice,
    ttl: ttlOf(notice.receiveDate),
    ...(webhookId !== undefined && { webhookId }),
    ...dueAt(uuid, notice.receiveDate + GRACE_MS),
  },
  where: absent,
});

/** An event to be written. `isUnruled`: it is urgent and no rule fired, so it has no hit in lists and reports. */
type NewEvent = EventItem & { isUnruled?: boolean };

const putEvent = (key: SensorKey, { isUnruled, ...event }: NewEvent): Write => ({
  put: {
    ...event,
    ...eventKey(key, event),
    ttl: ttlOf(event.receiveDate),
    ...(isUnruled && lists.alarmsWithoutRule({ fall: '', ...event, ...key })),
  },
});

const eventWrites = (table: Table) => ({
  /**
   * Stores a message that creates an event, with the bytes, before the event is decided. `at` is the message number
   * within the call. Returns `duplicate` if the same bytes are already stored with this UUID, and `uuid_used` if other
   * bytes are.
   */
  storeMessage: async ({
    uuid,
    customerId,
    sensorId,
    ...message
  }: Message & { at: number }): Promise<'stored' | 'duplicate' | 'uuid_used'> => {
    const { receiveDate, raw, at } = message;
    const key = messageKey({ customerId, sensorId }, uuid);
    const put = { ...message, ...key, ttl: messageTtl(receiveDate) };
    const isNewOrSame = where('attribute_not_exists(pk) OR (#receiveDate = :receiveDate AND #at = :at)', {
      receiveDate,
      at,
    });
    if ((await table.write({ put, where: isNewOrSame })) === null) return 'stored';
    const other = await table.getEventual<MessageItem>(key);
    return other && (other.raw ?? raw) === raw ? 'duplicate' : 'uuid_used';
  },

  /** Writes the events in a decision, the last one at the end (see `isApplied`). They may already exist. */
  add: async (customerId: number, sensorId: string, events: readonly NewEvent[]): Promise<void> => {
    const key = { customerId, sensorId };
    // If the event and the message have different UUIDs, an extra item leads from the event UUID to the event.
    const pointers = events
      .filter(({ uuid, source }) => uuid !== source)
      .map(({ uuid, id, receiveDate }) => ({
        put: { ...messageKey(key, uuid), id, receiveDate, ttl: messageTtl(receiveDate) },
      }));
    const [last, ...before] = events.toReversed().map((event) => putEvent(key, event));
    await Promise.all([...pointers, ...before].map((write) => table.write(write)));
    if (last) await table.write(last);
  },

  /** Stores a notice about a sensor, until it is processed. */
  storeNotice: async (key: SensorKey, uuid: string, notice: NoticeItem): Promise<void> => {
    await table.write(putNotice(key, uuid, notice));
  },
  /** Deletes a processed notice. */
  removeNotice: async (customerId: number, sensorId: string, uuid: string): Promise<void> => {
    await table.write({ remove: items.notice({ customerId, sensorId, uuid }) });
  },
});

export const events = (table: Table) => ({ ...eventReads(table), ...eventWrites(table) });
