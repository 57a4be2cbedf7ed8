import { openFallsOf } from '#shared/domain/event/open-fall.ts';
import type { OpenFall } from '#shared/domain/event/open-fall-view.ts';
import type { PageOf } from '#shared/domain/page.ts';
import type { SensorRecord } from '#shared/domain/sensor/sensor.ts';
import type { Table } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { items, lists } from '../table.ts';
import { decodeState, type StoredState } from './state-item.ts';

type Fallen = { sensorId: string; name: string; falls: OpenFall[] };

/** Whether a sensor sees a fall that is not over, its state says, and puts itself into the list: states.ts. */
export const openFalls = (table: Table) => ({
  /** A page of the sensors of a customer that see such falls, by their ids. Of the page alone more is read than keys. */
  page: async (customerId: number, { page, perPage }: { page: number; perPage: number }): Promise<PageOf<Fallen>> => {
    const rows = await table.queryAll<Item>({ index: 'list', pk: lists.openFallsOfCustomer.pk({ customerId }) });
    const ids = rows.slice(page * perPage, (page + 1) * perPage).flatMap((row) => items.sensorState.read(row) ?? []);
    const keys = ids.map(({ sensorId }) => ({
      state: items.sensorState({ customerId, sensorId }),
      sensor: items.sensor({ customerId, sensorId }),
    }));
    const found = await table.getAll<Item>(keys.flatMap(({ state, sensor }) => [state, sensor]));
    const at = <T>(key: Key) => found.find(({ pk, sk }) => pk === key.pk && sk === key.sk) as T | undefined;
    const data = keys.flatMap((key) => {
      const state = at<StoredState>(key.state);
      const sensor = at<SensorRecord>(key.sensor);
      const falls = state ? openFallsOf(decodeState(state)) : [];
      // The list may lag behind states and sensors.
      return sensor && falls.length > 0 ? [{ sensorId: sensor.id, name: sensor.name, falls }] : [];
    });
    return { total: rows.length, page, perPage, data };
  },
});
