import type { Decision } from '#shared/domain/event/decision.ts';
import { type EventRegion, type NormalizedCoordinates, type Notice, RETENTION } from '#shared/domain/event/event.ts';
import { fittingPage, LISTED_BYTES } from '#shared/domain/event/raw.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { LookedPage } from '#shared/domain/page.ts';
import type { Acknowledged } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, GRACE } from '../engine/due.ts';
import { type Bounds, firstOf, lookFor } from '../engine/look.ts';
import type { NewestQuery } from '../engine/newest.ts';
import { absent, type Write, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** A message of a device that made an event, with its own bytes as text. `id`: that of its first event. */
export type Message = {
  id: number;
  uuid: string;
  customerId: number;
  sensorId: string;
  receiveDate: number;
  raw: string;
};

/** What happened at a sensor. `raw`: the bytes of the message that caused it, `{}` when the service made the event. */
export type Event = Message & {
  createDate: number;
  type: string;
  action: string;
  code: number | null;
  coordinates: NormalizedCoordinates | null;
  /** Without the id, which would be a good part of the item. */
  region?: Pick<EventRegion, 'index' | 'name'>;
};

/** An event in a list: without its bytes (null) where those are long, or more than fit into a page. */
export type ListedEvent = Omit<Event, 'raw'> & { raw: string | null };

/**
 * An event as it is stored, by its time. Whose it is stands in its key. `source`: the uuid of the message that has its
 * bytes, null when the service made it; `isLong`: those are too long for a list.
 */
export type EventItem = Omit<Event, 'raw' | 'customerId' | 'sensorId'> & { source: string | null; isLong?: true };

/** What stands under the uuid of an event: where it is, and if a message of a device has that uuid, its bytes. */
export type MessageItem = { id: number; receiveDate: number; raw?: string };

/**
 * Something that the service is to tell of a sensor, until it is told. `webhookId`: the webhook that it is about, which is
 * not told of it; `acknowledgement`: what it tells of a hit.
 */
export type NoticeItem = {
  notice: Notice;
  receiveDate: number;
  webhookId?: string | undefined;
  acknowledgement?: Acknowledged;
};

type SensorKey = { customerId: number; sensorId: string };

/** About 450 bytes each, 500 in a region: a stretch of them is some 60 read units at most. */
const EVENTS: Bounds = { stretch: 1_000, stretches: 4 };

const ttlOf = (time: number) => Math.ceil((time + RETENTION) / 1_000);
/** A day longer than the events that they belong to: those are shown for a little longer than they are kept. */
const messageTtl = (time: number) => ttlOf(time + 86_400_000);
export const isLong = (raw: string): boolean => Buffer.byteLength(raw) > LISTED_BYTES;

const messageKey = ({ customerId, sensorId }: SensorKey, uuid: string) => items.message({ customerId, sensorId, uuid });
const eventKey = (key: SensorKey, { id: eventId, uuid }: { id: number; uuid: string }) =>
  items.event({ ...key, eventId, uuid });
/** The range of sort keys of the event ids `from` to `to`. */
const between = (from: number, to: number) =>
  [from, to + 1].map((eventId) => items.event.sk({ eventId: Math.max(0, eventId), uuid: '' })) as [string, string];

const whole = (
  { customerId, sensorId }: SensorKey,
  { source: _, isLong: __, ...event }: EventItem,
): Omit<Event, 'raw'> => ({
  ...event,
  customerId,
  sensorId,
});

/** Events of one sensor with their bytes, as far as those are short and fit into a page. Several events may be of one message. */
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
  return events.map((event, at) => ({ ...whole(key, event), raw: raws[at] ?? null }));
};

export const eventReads = (table: TableReader) => ({
  /** An event with the bytes of its message, by its uuid. */
  get: async (customerId: number, sensorId: string, uuid: string): Promise<Event | null> => {
    const key = { customerId, sensorId };
    const message = await table.get<MessageItem>(messageKey(key, uuid));
    const event = message && (await table.get<EventItem>(eventKey(key, { id: message.id, uuid })));
    if (!message || !event) return null;
    const { source } = event;
    const of = source === null || source === uuid ? message : await table.get<MessageItem>(messageKey(key, source));
    // A further event names its message, which may have expired.
    return { ...whole(key, event), raw: source === null ? '{}' : (of?.raw ?? 'null') };
  },

  /** The bytes of a message, which never change; null when there is no such message. */
  bytes: async (customerId: number, sensorId: string, uuid: string): Promise<string | null> =>
    (await table.getEventual<MessageItem>(messageKey({ customerId, sensorId }, uuid)))?.raw ?? null,

  /** The newest first; those that are over the retention (ms) are not shown, whether they are still there or not. */
  list: async (
    customerId: number,
    sensorId: string,
    now: number,
    query: NewestQuery,
  ): Promise<LookedPage<ListedEvent>> => {
    const key = { customerId, sensorId };
    const pk = items.event.pk(key);
    const { data, ...page } = await lookFor(query, EVENTS, async (after: number | undefined, limit) => {
      const range = between(firstIdAt(now - RETENTION), (after ?? Number.MAX_SAFE_INTEGER) - 1);
      const { rows, isWhole } = await firstOf<EventItem>(table, { pk, between: range, newestFirst: true }, limit);
      return { rows, next: isWhole ? undefined : rows.at(-1)?.id };
    });
    return { ...page, data: await withShortBytes(table, key, data) };
  },

  /**
   * Is a decision applied, as of `now` (ms)? Its last event is written after everything else. Once that has expired,
   * everything else has too, and nobody is to be told any more.
   */
  isApplied: async (customerId: number, sensorId: string, { decided }: Decision, now: number): Promise<boolean> => {
    const last = decided.at(-1);
    if (!last || last.receiveDate + RETENTION <= now) return true;
    return (await table.getEventual(eventKey({ customerId, sensorId }, last))) !== null;
  },

  /** Has an event with this uuid been written? */
  isThere: async (customerId: number, sensorId: string, uuid: string): Promise<boolean> =>
    (await table.get(messageKey({ customerId, sensorId }, uuid))) !== null,

  notice: (customerId: number, sensorId: string, uuid: string) =>
    table.get<NoticeItem>(items.notice({ customerId, sensorId, uuid })),
});

/** The write of a notice, which waits until it is told. */
export const putNotice = (
  { customerId, sensorId }: SensorKey,
  uuid: string,
  { webhookId, ...notice }: NoticeItem,
): Write => ({
  put: {
    ...items.notice({ customerId, sensorId, uuid }),
    ...notice,
    ttl: ttlOf(notice.receiveDate),
    ...(webhookId !== undefined && { webhookId }),
    ...dueAt(uuid, notice.receiveDate + GRACE),
  },
  where: absent,
});

const itemOf = (key: SensorKey, event: EventItem): Write => ({
  put: { ...event, ...eventKey(key, event), ttl: ttlOf(event.receiveDate) },
});

const eventWrites = (table: Table) => ({
  /**
   * Stores a message that makes an event, with its bytes, before the event is decided. `at` is its number within its call.
   * False when another message with this UUID was accepted: then this one is a repetition.
   */
  keep: async ({ uuid, customerId, sensorId, ...message }: Message & { at: number }): Promise<boolean> => {
    const { receiveDate, at } = message;
    const put = { ...message, ...messageKey({ customerId, sensorId }, uuid), ttl: messageTtl(receiveDate) };
    const isThis = where('attribute_not_exists(pk) OR (#receiveDate = :receiveDate AND #at = :at)', {
      receiveDate,
      at,
    });
    return (await table.write({ put, where: isThis })) === null;
  },

  /** Writes the events of a decision, its last event last (see `isApplied`). They may be there already. */
  add: async (customerId: number, sensorId: string, events: readonly EventItem[]): Promise<void> => {
    const key = { customerId, sensorId };
    // An event whose uuid differs from that of its message gets an item that leads from its uuid to it.
    const others = events
      .filter(({ uuid, source }) => uuid !== source)
      .map(({ uuid, id, receiveDate }) => ({
        put: { ...messageKey(key, uuid), id, receiveDate, ttl: messageTtl(receiveDate) },
      }));
    const [last, ...before] = events.toReversed().map((event) => itemOf(key, event));
    await Promise.all([...others, ...before].map((write) => table.write(write)));
    if (last) await table.write(last);
  },

  /** Stores a notice of the service about a sensor, until it is processed. */
  keepNotice: async (key: SensorKey, uuid: string, notice: NoticeItem): Promise<void> => {
    await table.write(putNotice(key, uuid, notice));
  },
  /** Deletes a notice that was processed. */
  endNotice: async (customerId: number, sensorId: string, uuid: string): Promise<void> => {
    await table.write({ remove: items.notice({ customerId, sensorId, uuid }) });
  },
});

export const events = (table: Table) => ({ ...eventReads(table), ...eventWrites(table) });
