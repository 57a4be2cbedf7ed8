import type { Decision } from '../domain/decision.ts';
import { type NormalizedCoordinates, type Notice, RETENTION } from '../domain/event.ts';
import { hashOf } from '../domain/ids.ts';
import { LISTED_BYTES } from '../domain/raw.ts';
import { newSensorState, type SensorState } from '../domain/sensor-state.ts';
import type { Table, TableReader } from './client.ts';
import { dueAt, dueNames, GRACE } from './due.ts';
import type { Key } from './key.ts';
import { type NewestQuery, newestPage } from './newest.ts';
import { absent, changes, present, type Write, where } from './request.ts';
import { items, lists } from './table.ts';

/** A message as it was received; processing makes it an event of the list, when it is one. */
export type Message = {
  id: number;
  uuid: string;
  customerId: number;
  sensorId: string;
  receiveDate: number;
  /** The device's own bytes, as text. */
  raw: string;
  /** It is no message of the device: the service itself has something to tell of it. */
  notice?: Notice;
  /** Set while it waits to be processed. */
  duePk?: string;
};

/** What a message turned out to be. */
export type Event = Omit<Message, 'duePk'> & {
  createDate: number;
  type: string;
  action: string;
  code: number | null;
  coordinates: NormalizedCoordinates | null;
};

/** An event in a list: without its bytes (null) where those are long. */
export type ListedEvent = Omit<Event, 'raw'> & { raw: string | null };

/** A further event of a message has the message's uuid instead of its bytes. */
type FurtherEvent = Omit<Event, 'raw'> & { source: string };

/**
 * How messages and events are stored. Of long ones the bytes are an item of their own, so that neither what changes them
 * nor a list of them pays for the bytes; `bytes` is their hash.
 */
type EventItem = Omit<Message, 'raw'> & Partial<Event> & { bytes?: string; source?: string };

/**
 * `decision`: what was decided last, kept until the next decision, to be carried out again if need be. `ttl` (s): the
 * sensor has left, and its state goes away then.
 */
export type StateItem = SensorState & { decision: Decision | null; duePk?: string; dueAt?: string; ttl?: number };

const keyOf = ({ customerId, sensorId, uuid }: Pick<Message, 'customerId' | 'sensorId' | 'uuid'>) =>
  items.event({ customerId, sensorId, uuid });
const ttlOf = (time: number) => Math.ceil((time + RETENTION) / 1_000);
/** A day longer than what they belong to: that is shown for a little longer than it is kept. */
const bytesTtl = (time: number) => ttlOf(time + 86_400_000);
const isLong = (raw: string) => Buffer.byteLength(raw) > LISTED_BYTES;
const listed = ({ customerId, sensorId, id }: Pick<Event, 'customerId' | 'sensorId' | 'id'>) => ({
  listPk: lists.eventsOfSensor({ customerId, sensorId }),
  listSk: lists.byTime({ id }),
});

/** The bytes of a message as they came; null: the message that an event points to has expired. */
const bytesOf = async (get: TableReader['get'], item: EventItem): Promise<string | null> => {
  const { customerId, sensorId, uuid, raw, bytes: hash, source } = item;
  if (raw !== undefined) return raw;
  if (source !== undefined) {
    const message = await get<EventItem>(items.event({ customerId, sensorId, uuid: source }));
    return message && bytesOf(get, message);
  }
  const key = items.messageBytes({ customerId, sensorId, uuid, hash: hash ?? '' });
  const found = await get<{ raw: string }>(key);
  if (!found) throw new Error(`the bytes of message ${uuid} are missing`);
  return found.raw;
};

const withBytes = async (get: TableReader['get'], item: (EventItem & Key) | null) =>
  item && { ...item, raw: (await bytesOf(get, item)) ?? 'null' };

/** Events of one sensor with their bytes, as far as those are short. Several events may be of one message. */
const withShortBytes = async (table: TableReader, events: readonly EventItem[]): Promise<ListedEvent[]> => {
  const sources = events.flatMap(({ source, ...event }) => (source === undefined ? [] : [{ ...event, uuid: source }]));
  const keys = new Map(sources.map((message) => [message.uuid, keyOf(message)]));
  const messages = await table.getAllEventual<EventItem>([...keys.values()]);
  const rawOf = new Map([...messages, ...events].map(({ uuid, raw }) => [uuid, raw]));
  return events.map(({ source, bytes: _, ...event }) => {
    const raw = event.raw ?? (source === undefined ? undefined : rawOf.get(source));
    return { ...(event as Event), raw: raw === undefined || isLong(raw) ? null : raw };
  });
};

export const eventReads = (table: TableReader) => ({
  /** A message with its bytes, and the event that it became; or a further event of one. */
  get: async (customerId: number, sensorId: string, uuid: string) =>
    withBytes(table.get, await table.get<EventItem>(items.event({ customerId, sensorId, uuid }))),

  /** The same at half the price, for what never changes once it is seen: its bytes, and that it is done. */
  getEventual: async (customerId: number, sensorId: string, uuid: string) =>
    withBytes(table.getEventual, await table.getEventual<EventItem>(items.event({ customerId, sensorId, uuid }))),

  /** The newest first; those that are over the retention (ms) are not shown, whether they are still there or not. */
  list: async (customerId: number, sensorId: string, now: number, query: NewestQuery) => {
    const pk = lists.eventsOfSensor({ customerId, sensorId });
    const { data, ...page } = await newestPage<EventItem>(table, pk, now - RETENTION, query);
    return { ...page, data: await withShortBytes(table, data) };
  },

  state: (customerId: number, sensorId: string) => table.get<StateItem>(items.sensorState({ customerId, sensorId })),
});

/** A message that waits to be processed, written once; `bytes` is all that is kept of its bytes in the item itself. */
const waiting = ({ raw: _, ...message }: Message, bytes: { raw: string } | { bytes: string }): Write => {
  const waits = dueAt(message.uuid, message.receiveDate + GRACE);
  const put = { ...message, ...bytes, ...keyOf(message), ...waits, ttl: ttlOf(message.receiveDate) };
  return { put, where: absent };
};
/** The same of a short message, for a transaction. */
export const keepMessage = (message: Message): Write => waiting(message, { raw: message.raw });

const keep = async (table: Table, message: Message): Promise<boolean> => {
  const { raw, receiveDate } = message;
  const hash = isLong(raw) ? hashOf(raw) : undefined;
  // First the bytes: whoever finds the message finds them. Their name is their content, so nobody writes others there.
  if (hash !== undefined)
    await table.write({ put: { ...items.messageBytes({ ...message, hash }), raw, ttl: bytesTtl(receiveDate) } });
  return (await table.write(waiting(message, hash === undefined ? { raw } : { bytes: hash }))) === null;
};

/** What is written of the state of a sensor. */
const ofState = (table: Table) => ({
  /**
   * Writes the state that a decision was made from and to; false when another decision came first, or when a sensor
   * without a state has gone. `watchAt` (ms): from then on the sensor is looked at; null: as before. `formerUntil`
   * (s): the sensor has left, what it said before is judged, and its state goes away then.
   */
  decide: async (
    customerId: number,
    sensorId: string,
    before: number,
    state: StateItem,
    watchAt: number | null,
    formerUntil: number | null = null,
  ) => {
    const key = items.sensorState({ customerId, sensorId });
    const watch = watchAt !== null && dueAt(sensorId, watchAt);
    const put = { ...state, ...key, version: before + 1, ...watch, ...(formerUntil !== null && { ttl: formerUntil }) };
    // Only a first state could bring back something of a sensor that has gone.
    const kind = formerUntil === null ? items.sensor : items.formerSensor;
    const isThere = { check: kind({ customerId, sensorId }), where: present };
    const failed =
      before === 0
        ? await table.write({ put, where: absent }, isThere)
        : await table.write({ put, where: where('#version = :before', { before }) });
    return failed === null;
  },

  /**
   * Has the sensor looked at again at `time` (ms), or (null) no more; nothing when its state moved on. What was decided
   * by time is done then.
   */
  watch: async (customerId: number, sensorId: string, state: StateItem, time: number | null): Promise<void> => {
    const unchanged = where('#version = :version', { version: state.version });
    const done = { decision: state.decision?.byTime ? null : undefined };
    const update =
      time === null
        ? { set: done, remove: dueNames, if: unchanged }
        : { set: { ...done, ...dueAt(sensorId, time) }, if: unchanged };
    await table.update(items.sensorState({ customerId, sensorId }), changes(update));
  },

  /**
   * A call of a device without a message: it was heard of. False: the sensor counted as silent, or nobody heard of it
   * ever before; then it is due to be looked at.
   */
  heard: async (customerId: number, sensorId: string, now: number): Promise<boolean> => {
    const key = items.sensorState({ customerId, sensorId });
    const isAwake = where('#isActive = :yes', { yes: true });
    if (await table.update(key, changes({ set: { lastSeen: now }, if: isAwake }))) return true;
    const wakes = { lastSeen: now, wakes: true, ...dueAt(sensorId, now) };
    const put = { ...newSensorState, decision: null, version: 1, ...wakes, ...key };
    const isThere = { check: items.sensor({ customerId, sensorId }), where: present };
    if ((await table.write({ put, where: absent }, isThere)) === null) return false;
    await table.update(key, changes({ set: wakes, if: where('#isActive = :no', { no: false }) }));
    return false;
  },
});

export const eventWrites = (table: Table) => ({
  ...ofState(table),

  /** Makes a message durable; false when this very message is there already. */
  keep: (message: Message): Promise<boolean> => keep(table, message),

  /** Adds an event that the service made, or a further one of a message; nothing when it is there. */
  add: async (event: Event | FurtherEvent): Promise<void> => {
    await table.write({
      put: { ...event, ...keyOf(event), ...listed(event), ttl: ttlOf(event.receiveDate) },
      where: absent,
    });
  },

  /** Ends the waiting of a message. With an event it joins the sensor's list, without one it is only kept. */
  finish: async (message: Message, event: (Omit<Event, keyof Message> & { id: number }) | null): Promise<void> => {
    const set = event ? { ...event, uuid: undefined, ...listed({ ...message, id: event.id }) } : { isEvent: false };
    await table.update(keyOf(message), changes({ set, remove: dueNames, if: where('attribute_exists(duePk)') }));
  },
});
