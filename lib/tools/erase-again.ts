import { repeatErasures } from './aws/erasures.ts';
import { openTable } from './table.ts';
import { LOCAL_TABLE } from './where.ts';

/**
 * Begins the erasures in a restored data folder again that are in the folder of before. Neither needs a host. Gives their
 * number, those included that the restored folder has, too, which are left as they are.
 */
export const eraseAgain = async (restored: string, before: string, now: number): Promise<number> => {
  const from = await openTable({ dataDir: before, table: LOCAL_TABLE });
  const to = await openTable({ dataDir: restored, table: LOCAL_TABLE });
  try {
    return await repeatErasures(from.table, to.table, 0, now);
  } finally {
    await from.close();
    await to.close();
  }
};
