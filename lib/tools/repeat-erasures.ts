import { repeatErasures } from './aws/erasures.ts';
import { openTable } from './table.ts';
import { LOCAL_TABLE } from './table-location.ts';

/**
 * Repeats in a restored data folder the erasures recorded in the folder it replaces. Neither host needs to be running.
 * Returns the number of erasures found, including those already in the restored folder, which are left unchanged.
 */
export const repeatErasuresInFolder = async (restored: string, before: string, now: number): Promise<number> => {
  const from = await openTable({ dataDir: before, table: LOCAL_TABLE });
  const to = await openTable({ dataDir: restored, table: LOCAL_TABLE });
  try {
    return await repeatErasures(from.table, to.table, 0, now);
  } finally {
    await from.close();
    await to.close();
  }
};
