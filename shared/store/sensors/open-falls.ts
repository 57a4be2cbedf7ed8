import { openFallsOf } from '#shared/domain/event/open-fall.ts';
import type { OpenFall } from '#shared/domain/event/open-fall-view.ts';
import type { PageOf } from '#shared/domain/page.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import type { Table } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';
import { decodeState, type StoredState } from './state-item.ts';

type SensorWithFalls = { sensorId: string; name: string; falls: OpenFall[] };

/** Open falls. The state of a sensor that sees one is in the list (states.ts). */
export const openFalls = (table: Table) => ({
  /** Returns a page of the sensors of a customer that see open falls, by id. Beyond the page only keys are read. */
  page: async (
    customerId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<PageOf<SensorWithFalls>> => {
    const rows = await table.queryAll<Item>({ index: 'list', pk: lists.openFallsOfCustomer.pk({ customerId }) });
    const ids = rows.slice(page * perPage, (page + 1) * perPage).flatMap((row) => items.sensorState.read(row) ?? []);
    const keys = ids.map(({ sensorId }) => ({
      state: items.sensorState({ customerId, sensorId }),
      sensor: items.sensor({ customerId, sensorId }),
    }));
    const found = await table.getAll<Item>(keys.flatMap(({ state, sensor }) => [state, sensor]));
    const itemAt = <T>(key: Key) => found.find(({ pk, sk }) => pk === key.pk && sk === key.sk) as T | undefined;
    const data = keys.flatMap((key) => {
      const state = itemAt<StoredState>(key.state);
      const sensor = itemAt<SensorRecord>(key.sensor);
      const falls = state ? openFallsOf(decodeState(state)) : [];
      // The list may lag behind states and sensors.
      return sensor && falls.length > 0 ? [{ sensorId: sensor.id, name: sensor.name, falls }] : [];
    });
    return { total: rows.length, page, perPage, data };
  },
});
