import type { TableReader } from '../engine/client.ts';
import { hitsPk, type StoredHit } from './hit-item.ts';

/** Returns a customer's newest or oldest hit. */
export const edgeHit = async (
  table: TableReader,
  customerId: number,
  newestFirst: boolean,
  consistent = true,
): Promise<StoredHit | null> => {
  const query = { pk: hitsPk(customerId), beginsWith: 'HIT#', newestFirst, limit: 1, consistent };
  return (await table.query<StoredHit>(query)).items[0] ?? null;
};
