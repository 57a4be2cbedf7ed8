import type { TableReader } from './client.ts';
import { DATA_VERSION, items } from './table.ts';

/**
 * How long (ms) a version of the code sweeps before what the one before cannot read is written: until then a deployment
 * is taken back without harm.
 */
const PROBATION = 14 * 86_400_000;

/** The form in which items may be written: DATA_VERSION in table.ts. `raiseAt` (ms): when it is raised. */
export type NotedVersion = { dataVersion?: number; raiseAt?: number };

/** The noted form. A table without a heartbeat is new: no other version has swept it. */
const formOf = (last: NotedVersion | null): number => (last ? (last.dataVersion ?? 1) : DATA_VERSION);

/** Gives what a sweep notes at a time (ms): the form is raised when this version of the code has swept for long enough. */
export const nextVersion = (last: NotedVersion | null, now: number): NotedVersion & { dataVersion: number } => {
  const dataVersion = formOf(last);
  if (dataVersion >= DATA_VERSION) return { dataVersion };
  const raiseAt = last?.raiseAt ?? now + PROBATION;
  return raiseAt <= now ? { dataVersion: DATA_VERSION } : { dataVersion, raiseAt };
};

/** The form in which items may be written; a form of before while that may be some seconds old. */
export const dataVersionOf = async (table: TableReader): Promise<number> =>
  formOf(await table.getEventual<NotedVersion>(items.heartbeat({})));
