import { DATA_VERSION } from '../table.ts';

/**
 * How long (ms) a code version has to sweep before it may write items that its predecessor cannot read. A deployment
 * can be rolled back until then.
 */
const PROBATION = 14 * 86_400_000;

/** The data version that may be written, missing in a new table. `raiseAt` (ms) is when it will be raised. */
export type RecordedVersion = { dataVersion?: number; raiseAt?: number };

/** Returns what a sweep records at `now` (ms). The version is raised once this code has been sweeping long enough. */
export const nextVersion = (
  last: RecordedVersion | null,
  now: number,
  newest = DATA_VERSION,
): RecordedVersion & { dataVersion: number } => {
  const dataVersion = last?.dataVersion ?? newest;
  if (dataVersion >= newest) return { dataVersion };
  const raiseAt = last?.raiseAt ?? now + PROBATION;
  return raiseAt <= now ? { dataVersion: newest } : { dataVersion, raiseAt };
};
