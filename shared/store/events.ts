import type { Decision } from '../domain/decision.ts';
import { type NormalizedCoordinates, type Notice, RETENTION } from '../domain/event.ts';
import { newSensorState, type SensorState } from '../domain/sensor-state.ts';
import type { Table, TableReader } from './client.ts';
import { dueAt, dueNames, GRACE } from './due.ts';
import { newestPage } from './newest.ts';
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

/** `decision`: what was decided last, kept until the next decision, to be carried out again if need be. */
export type StateItem = SensorState & { decision: Decision | null; duePk?: string; dueAt?: string };

const keyOf = ({ customerId, sensorId, uuid }: Pick<Message, 'customerId' | 'sensorId' | 'uuid'>) =>
  items.event({ customerId, sensorId, uuid });
const ttlOf = (time: number) => Math.ceil((time + RETENTION) / 1_000);
const listed = ({ customerId, sensorId, id }: Pick<Event, 'customerId' | 'sensorId' | 'id'>) => ({
  listPk: lists.eventsOfSensor({ customerId, sensorId }),
  listSk: lists.byTime({ id }),
});

export const eventReads = (table: TableReader) => ({
  get: (customerId: number, sensorId: string, uuid: string, consistent = false) =>
    table.get<Message & Partial<Event>>(items.event({ customerId, sensorId, uuid }), consistent),
  /** The newest first; those that are over the retention (ms) are not shown, whether they are still there or not. */
  list: (customerId: number, sensorId: string, now: number, page: { page: number; perPage: number }) =>
    newestPage<Event>(table, lists.eventsOfSensor({ customerId, sensorId }), now - RETENTION, page),
  state: (customerId: number, sensorId: string) =>
    table.get<StateItem>(items.sensorState({ customerId, sensorId }), true),
});

/** A message that waits to be processed, written once. */
export const keepMessage = (message: Message): Write => {
  const waits = dueAt(message.uuid, message.receiveDate + GRACE);
  return { put: { ...message, ...keyOf(message), ...waits, ttl: ttlOf(message.receiveDate) }, where: absent };
};

export const eventWrites = (table: Table) => ({
  /** Makes a message durable; false when this very message is there already. */
  keep: async (message: Message): Promise<boolean> => (await table.write(keepMessage(message))) === null,

  /**
   * Writes the state that a decision was made from and to; false when another decision came first, or when a sensor
   * without a state has gone. `watchAt` (ms): from then on the sensor is looked at; null: as before.
   */
  decide: async (customerId: number, sensorId: string, before: number, state: StateItem, watchAt: number | null) => {
    const key = items.sensorState({ customerId, sensorId });
    const put = { ...state, ...key, version: before + 1, ...(watchAt !== null && dueAt(sensorId, watchAt)) };
    // With the sensor its state is removed: only a first state could bring back something of a sensor that has gone.
    const isThere = { check: items.sensor({ customerId, sensorId }), where: present };
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

  /** Adds an event that has no message of its own; nothing when it is there. */
  add: async (event: Event): Promise<void> => {
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
