import type { TableReader } from '../engine/client.ts';
import { customerLine, sensorLine } from './hit-line.ts';
import { type HitQuery, hitPage } from './hit-page.ts';

/** Lists of hits. They are a noun of their own because the workers that make hits never list them. */
export const hitLists = (table: TableReader) => ({
  /** A page of a customer's hits since a time (ms), and how many there are. */
  page: async (customerId: number, since: number, query: HitQuery) =>
    hitPage({ table, customerId }, await customerLine(table, customerId, since), query),

  /** A page of a sensor's hits since a time (ms), and how many there are. */
  pageOfSensor: async (customerId: number, sensorId: string, since: number, query: HitQuery) =>
    hitPage({ table, customerId, sensorId }, await sensorLine(table, customerId, sensorId, since), query),
});
