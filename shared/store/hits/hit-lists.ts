import type { TableReader } from '../engine/client.ts';
import { type HitQuery, hitPage } from './hit-page.ts';
import { hitsOfCustomer, sensorLine } from './hit-sequence.ts';

/** Lists of hits. A separate noun, because the workers that create hits never list them. */
export const hitLists = (table: TableReader) => ({
  /** Returns a page of a customer's hits since a time (ms), with their total. */
  page: async (customerId: number, since: number, query: HitQuery) =>
    hitPage({ table, customerId }, await hitsOfCustomer(table, customerId, since), query),

  /** Returns a page of a sensor's hits since a time (ms), with their total. */
  pageOfSensor: async (customerId: number, sensorId: string, since: number, query: HitQuery) =>
    hitPage({ table, customerId, sensorId }, await sensorLine(table, customerId, sensorId, since), query),
});
