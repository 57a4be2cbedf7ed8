import { type FallOfState, MAX_ACKNOWLEDGED_MS, openFallsOf } from '#shared/domain/event/open-fall.ts';
import type { OpenFall } from '#shared/domain/event/open-fall-view.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { PageOf } from '#shared/domain/page.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { alarmBy } from '#shared/domain/state/due-move.ts';
import { durationsOf, type Timings } from '#shared/domain/state/room-context.ts';
import type { Table, TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { answerKey, type FallAnswer } from '../rules/fall-answer.ts';
import { items, lists } from '../table.ts';
import type { ConfigItem } from './configs.ts';
import type { EventItem } from './events.ts';
import { decodeState, type StoredState } from './state-item.ts';

type SensorWithFalls = { sensorId: string; name: string; falls: OpenFall[] };
type SensorKey = { customerId: number; sensorId: string };

/**
 * How many of the first and of the newest events since the start of a fall are read to find one about the fall. They
 * cost half a read unit.
 */
const EVENTS = 8;

/** Returns one event in a fall, usually the first, or null if none has been written yet. */
const eventOf = async (
  table: TableReader,
  sensor: SensorKey,
  { key, start }: FallOfState,
): Promise<EventItem | null> => {
  const skOf = (eventId: number) => items.event.sk({ eventId, uuid: '' });
  const between = [skOf(firstIdAt(start)), skOf(Number.MAX_SAFE_INTEGER)] as const;
  for (const newestFirst of [false, true]) {
    const query = { pk: items.event.pk(sensor), between, newestFirst, limit: EVENTS, consistent: false };
    const { items: page } = await table.query<EventItem>(query);
    const found = page.find(({ fall }) => fall === key);
    if (found) return found;
  }
  return null;
};

/** Returns how long a sensor keeps a suspected fall in each state. Nothing is read unless a fall is suspected. */
const timingsOf = async (
  table: TableReader,
  sensor: SensorKey & Pick<SensorRecord, 'firmwareVersion'>,
  falls: readonly FallOfState[],
): Promise<Timings | null> => {
  if (falls.every(({ suspicion }) => suspicion === null)) return null;
  const [critical] = await table.getAll<ConfigItem>([items.config({ ...sensor, name: 'critical' })]);
  return durationsOf(critical?.values ?? null, sensor.firmwareVersion).timings;
};

/** Returns an open fall, and how people responded to it, or null if it is closed or was acknowledged long ago. */
const answered = async (
  table: TableReader,
  sensor: SensorKey,
  fall: FallOfState,
  { now, timings }: { now: number; timings: Timings | null },
): Promise<OpenFall | null> => {
  const { key, start: _, isAcknowledged, suspicion, ...shown } = fall;
  const ref = { ...sensor, fall: key };
  // The sensor state shows whether anyone has responded, so an unanswered fall needs no further reads.
  const [answer, event] = await Promise.all([
    isAcknowledged ? table.get<FallAnswer>(answerKey(ref)) : null,
    eventOf(table, sensor, fall),
  ]);
  const { acknowledgement = null, closure } = answer ?? {};
  const isOld = acknowledgement !== null && acknowledgement.date + MAX_ACKNOWLEDGED_MS <= now;
  const dueAt = suspicion && timings && alarmBy(suspicion, timings);
  if (closure || isOld) return null;
  return {
    uuid: event?.uuid ?? null,
    regionName: event?.region?.name ?? '',
    ...shown,
    alarmBy: dueAt,
    acknowledgement,
  };
};

/** Open falls. The list has the states of sensors that see an open fall (states.ts). */
export const openFalls = (table: Table) => ({
  /** Returns a page of sensors that see open falls at `now` (ms), ordered by id. Only keys are read beyond the page. */
  page: async (
    customerId: number,
    { page, perPage }: { page: number; perPage: number },
    now: number,
  ): Promise<PageOf<SensorWithFalls>> => {
    const rows = await table.queryAll<Item>({ index: 'list', pk: lists.openFallsOfCustomer.pk({ customerId }) });
    const ids = rows.slice(page * perPage, (page + 1) * perPage).flatMap((row) => items.sensorState.read(row) ?? []);
    const keys = ids.map(({ sensorId }) => ({
      state: items.sensorState({ customerId, sensorId }),
      sensor: items.sensor({ customerId, sensorId }),
    }));
    const found = await table.getAll<Item>(keys.flatMap(({ state, sensor }) => [state, sensor]));
    const itemAt = <T>(key: Key) => found.find(({ pk, sk }) => pk === key.pk && sk === key.sk) as T | undefined;
    const listed = keys.map(async (key): Promise<SensorWithFalls[]> => {
      const state = itemAt<StoredState>(key.state);
      const sensor = itemAt<SensorRecord>(key.sensor);
      // The list may lag behind states and sensors.
      if (!state || !sensor) return [];
      const { id: sensorId, name, firmwareVersion } = sensor;
      const open = openFallsOf(decodeState(state));
      const timings = await timingsOf(table, { customerId, sensorId, firmwareVersion }, open);
      const read = open.map((fall) => answered(table, { customerId, sensorId }, fall, { now, timings }));
      const falls = (await Promise.all(read)).filter((fall) => fall !== null);
      return falls.length > 0 ? [{ sensorId, name, falls }] : [];
    });
    return { total: rows.length, page, perPage, data: (await Promise.all(listed)).flat() };
  },
});
