import type { DataExport, Erasure } from './data-job-view.ts';
import type { JobKind } from './job-kinds.ts';

/**
 * A job as it is stored. `isGone`: the subject can no longer be found. `file`: the name of the result, until it is deleted.
 */
export type DataJob = Omit<Erasure, 'url'> & {
  kind: JobKind;
  customerId: number;
  isGone?: true;
  file?: string;
};

/** The longest time (ms) since the login of a user without a password who starts a job. */
export const MAX_LOGIN_AGE = 5 * 60_000;
/** How long (ms) the result of an export is kept. */
export const EXPORT_RETENTION = 86_400_000;
/** How long (ms) a job is listed, and how long an erasure can be repeated after a recovery. */
export const JOB_RETENTION = 400 * 86_400_000;
/**
 * How long (ms) after its start an erasure makes its last pass: longer than any task is delayed on a queue, and than any
 * function runs that had read data of the subject.
 */
export const LAST_PASS_AFTER = 16 * 60_000;

/** Returns an export as the API shows it. `url` is the URL of its result. */
export const exportView = ({ remains: _, ...job }: DataJob, url: string | null): DataExport => ({ ...job, url });
export const erasureView = (job: DataJob): Erasure => ({ ...job, url: null });
