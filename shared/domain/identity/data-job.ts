import type { Actor } from './audit.ts';
import type { DataExport, Erasure, Subject } from './data-job-view.ts';
import type { JobKind } from './job-kinds.ts';
import { type Caller, hasPermission, type Permission } from './permission.ts';

/**
 * A job as stored. `isGone`: the subject can no longer be found. `file`: the result file name, until it is deleted.
 * `startDate`: when (ms) a requested erasure began. `isMailed`: everyone who may cancel the erasure has been emailed.
 */
export type DataJob = Omit<Erasure, 'url' | 'actor' | 'fileUntil' | 'begins' | 'approvedBy' | 'canceledBy'> & {
  kind: JobKind;
  customerId: number;
  isGone?: true;
  file?: string;
  /** Missing in jobs that started before actors were recorded. */
  actor?: Actor | null;
  begins?: number;
  approvedBy?: Actor;
  canceledBy?: Actor;
  startDate?: number;
  isMailed?: true;
};

/** How recently (ms) users without a password must have logged in to start a job. */
export const MAX_LOGIN_AGE = 5 * 60_000;
/** How long (ms) an export result is kept. */
export const EXPORT_RETENTION = 86_400_000;
/** How long (ms) a job stays listed, and how long an erasure can be repeated after a recovery. */
export const JOB_RETENTION = 400 * 86_400_000;
/**
 * The delay (ms) between the start of an erasure and its final pass. It must exceed both the longest queue delay and
 * the longest run of a function that may have read the subject's data.
 */
export const LAST_PASS_AFTER = 16 * 60_000;

/** How long (ms) other users have to cancel a requested customer erasure. */
export const REQUEST_MS = 86_400_000;
/**
 * Whether this kind of job must be approved before it begins. Only a system admin can erase a whole customer without a
 * second person's approval.
 */
export const needsApproval = (kind: JobKind, { kind: subject }: Subject, { isAdmin }: Caller): boolean =>
  kind === 'erasure' && subject === 'customer' && !isAdmin;
/** Whether a job is an erasure requested by this user that has neither begun nor been canceled. */
export const isRequestOf = ({ state, actor }: DataJob, userId: number): boolean =>
  state === 'requested' && actor?.id === String(userId);
/** Returns when (ms) a job began. */
export const startOf = ({ startDate, createDate }: DataJob): number => startDate ?? createDate;

/**
 * The permissions an export requires besides `manage_customers`. The exported parts (users, sessions and the audit log,
 * webhooks, deliveries to people) cannot be read without them either.
 */
const exportPermissions: Readonly<Record<Subject['kind'], readonly Permission[]>> = {
  customer: ['manage_users', 'manage_bots', 'manage_rules'],
  sensor: ['manage_users', 'manage_bots', 'manage_rules'],
  user: ['manage_users', 'manage_rules'],
};
/** Whether a caller with `manage_customers` may see everything in an export. */
export const mayExport = (caller: Caller, { kind }: Subject): boolean =>
  exportPermissions[kind].every((permission) => hasPermission(caller, permission));

/** Returns when (ms) an export result is deleted; null if there is no result. */
export const fileUntil = ({ file, updateDate }: Pick<DataJob, 'file' | 'updateDate'>, now: number): number | null =>
  file !== undefined && now < updateDate + EXPORT_RETENTION ? updateDate + EXPORT_RETENTION : null;

/** Returns an export as shown by the API. `url` is where the result can be downloaded. */
export const exportView = ({ remains: _, ...job }: DataJob, now: number, url: string | null = null): DataExport => ({
  ...job,
  actor: job.actor ?? null,
  url,
  fileUntil: fileUntil(job, now),
});
export const erasureView = (job: DataJob): Erasure => ({
  ...job,
  actor: job.actor ?? null,
  begins: job.begins ?? null,
  approvedBy: job.approvedBy ?? null,
  canceledBy: job.canceledBy ?? null,
  fileUntil: null,
  url: null,
});
