import { DATA_VERSION } from '../table.ts';

/**
 * How long (ms) a version of the code sweeps before what the one before cannot read is written: until then a deployment
 * is taken back without harm.
 */
const PROBATION = 14 * 86_400_000;

/**
 * The form in which items may be written: DATA_VERSION in table.ts; missing in a new table. `raiseAt` (ms): when it is
 * raised.
 */
export type NotedVersion = { dataVersion?: number; raiseAt?: number };

/** Gives what a sweep notes at a time (ms): the form is raised when this version of the code has swept for long enough. */
export const nextVersion = (
  last: NotedVersion | null,
  now: number,
  newest = DATA_VERSION,
): NotedVersion & { dataVersion: number } => {
  const dataVersion = last?.dataVersion ?? newest;
  if (dataVersion >= newest) return { dataVersion };
  const raiseAt = last?.raiseAt ?? now + PROBATION;
  return raiseAt <= now ? { dataVersion: newest } : { dataVersion, raiseAt };
};
