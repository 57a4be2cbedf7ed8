import type { DataExport, Erasure } from './data-job-view.ts';
import type { JobKind } from './job-kinds.ts';

/**
 * A job as it is kept. `isGone`: nobody finds the subject any more. `file`: the name of its result, until that is deleted.
 * `requestId`: that of the call which made it.
 */
export type DataJob = Omit<Erasure, 'url'> & {
  kind: JobKind;
  customerId: number;
  isGone?: true;
  file?: string;
};

/** How long ago (ms) somebody without a password here may have logged in at the issuer, to begin a job. */
export const FRESH_LOGIN = 5 * 60_000;
/** How long (ms) the result of an export is kept. */
export const EXPORT_KEPT = 86_400_000;
/** How long (ms) a job is listed, and how long an erasure is known that has to be made again after a recovery. */
export const JOB_KEPT = 400 * 86_400_000;
/**
 * How long (ms) after its beginning an erasure looks for the last time: longer than any task waits on a queue, and any
 * function works that knew of its subject.
 */
export const SETTLED_AFTER = 16 * 60_000;

/** Gives a job as it is shown; `url`: where its result is. */
export const exportView = ({ remains: _, ...job }: DataJob, url: string | null): DataExport => ({ ...job, url });
export const erasureView = (job: DataJob): Erasure => ({ ...job, url: null });
