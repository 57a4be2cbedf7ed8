import type { Actor } from './audit.ts';
import type { DataExport, Erasure, Subject } from './data-job-view.ts';
import type { JobKind } from './job-kinds.ts';
import { type Caller, hasPermission, type Permission } from './permission.ts';

/**
 * A job as it is stored. `isGone`: the subject can no longer be found. `file`: the name of the result, until it is
 * deleted. `startDate`: when (ms) a requested erasure began; `isMailed`: everybody who may cancel the erasure was
 * informed.
 */
export type DataJob = Omit<Erasure, 'url' | 'actor' | 'fileUntil' | 'begins' | 'approvedBy' | 'canceledBy'> & {
  kind: JobKind;
  customerId: number;
  isGone?: true;
  file?: string;
  /** Missing in jobs that began before actors were recorded. */
  actor?: Actor | null;
  begins?: number;
  approvedBy?: Actor;
  canceledBy?: Actor;
  startDate?: number;
  isMailed?: true;
};

/** The longest time (ms) since the login of a user without a password who starts a job. */
export const MAX_LOGIN_AGE = 5 * 60_000;
/** How long (ms) the result of an export is kept. */
export const EXPORT_RETENTION = 86_400_000;
/** How long (ms) a job is listed, and how long an erasure can be repeated after a recovery. */
export const JOB_RETENTION = 400 * 86_400_000;
/**
 * How long (ms) after its start an erasure makes its last pass: longer than a queue can delay a task, and longer than a
 * function that has read data of the subject can run.
 */
export const LAST_PASS_AFTER = 16 * 60_000;

/** How long (ms) other users can cancel the requested erasure of a customer. */
export const REQUEST_MS = 86_400_000;
/**
 * Whether a job of this kind waits for an approval before it begins: only a system admin can erase a whole customer
 * without the approval of a second person.
 */
export const needsApproval = (kind: JobKind, { kind: subject }: Subject, { isAdmin }: Caller): boolean =>
  kind === 'erasure' && subject === 'customer' && !isAdmin;
/** Whether a job is an erasure that this user requested, and that has neither begun nor been canceled. */
export const isRequestOf = ({ state, actor }: DataJob, userId: number): boolean =>
  state === 'requested' && actor?.id === String(userId);
/** Returns when (ms) a job began. */
export const startOf = ({ startDate, createDate }: DataJob): number => startDate ?? createDate;

/**
 * The permissions that an export requires besides `manage_customers`. Reading its parts (users, sessions and the audit
 * log, webhooks, deliveries to people) requires them too.
 */
const exportPermissions: Readonly<Record<Subject['kind'], readonly Permission[]>> = {
  customer: ['manage_users', 'manage_bots', 'manage_rules'],
  sensor: ['manage_users', 'manage_bots', 'manage_rules'],
  user: ['manage_users', 'manage_rules'],
};
/** Whether a caller with `manage_customers` may see everything that an export contains. */
export const mayExport = (caller: Caller, { kind }: Subject): boolean =>
  exportPermissions[kind].every((permission) => hasPermission(caller, permission));

/** Returns when (ms) the result of an export is deleted; null if there is no result. */
export const fileUntil = ({ file, updateDate }: Pick<DataJob, 'file' | 'updateDate'>, now: number): number | null =>
  file !== undefined && now < updateDate + EXPORT_RETENTION ? updateDate + EXPORT_RETENTION : null;

/** Returns an export as the API shows it. `url` is the URL of its result. */
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
