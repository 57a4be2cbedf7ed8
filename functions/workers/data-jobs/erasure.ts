import { type DataJob, JOB_KEPT, SETTLED_AFTER } from '#shared/domain/identity/data-job.ts';
import { runJob } from '#shared/domain/identity/job-kinds.ts';
import { RETENTION_DAYS } from '#shared/queue/consumer.ts';
import type { Lead } from '#shared/store/subjects/subjects.ts';
import type { JobDeps } from './deps.ts';
import { eraseAll } from './erase.ts';
import { vanish } from './vanish.ts';

const DAY = 86_400_000;
/** How long (ms) after a run that left something the next one comes. */
const SOON = 60_000;

/** Until when there are traces elsewhere. */
const remains = ({ settings }: JobDeps, { createDate }: DataJob, now: number): DataJob['remains'] => {
  const after = (days: number) => (days === 0 ? null : now + days * DAY);
  return [
    { what: 'backups', until: after(settings.BACKUP_DAYS) },
    { what: 'logs', until: after(settings.LOG_DAYS) },
    { what: 'quarantine', until: after(RETENTION_DAYS) },
    { what: 'list_of_erasures', until: createDate + JOB_KEPT },
  ];
};

/**
 * Lets an erased sensor come back, unless another erasure of it goes on. Of several, the one that began last does that, and
 * ends last. False: it has to wait for the others.
 */
const letComeBack = async ({ store, now }: JobDeps, { id, customerId, subject }: DataJob): Promise<boolean> => {
  const others = (await store.dataJobs.list(customerId, 'erasure')).filter(
    (job) => job.state === 'running' && job.id !== id && job.subject.kind === 'sensor' && job.subject.id === subject.id,
  );
  if (others.length > 0) return others.some((job) => job.id > id);
  await store.subjects.markErased(customerId, String(subject.id), now(), false);
  return true;
};

const complete = async (deps: JobDeps, job: DataJob, leads: readonly Lead[]): Promise<void> => {
  const { store, now } = deps;
  if (job.subject.kind === 'sensor' && !(await letComeBack(deps, job))) return store.dataJobs.again(job, now() + SOON);
  for (const lead of leads) await store.subjects.dropLead(job, lead);
  const how = { state: 'completed', updateDate: now(), remains: remains(deps, job, now()) } as const;
  await store.dataJobs.end(job, how, null);
};

/** Deletes what was exported of the customer: the subject may be in it. True while an export goes on that began before. */
const dropExports = async ({ store, exports }: JobDeps, { customerId, createDate }: DataJob): Promise<boolean> => {
  const all = await store.dataJobs.list(customerId, 'export');
  for (const job of all) {
    if (job.file === undefined) continue;
    await exports.remove(job.file);
    await store.dataJobs.dropFile(job);
  }
  return all.some((job) => job.state === 'running' && job.createDate <= createDate);
};

/**
 * Erases a subject: at first nobody finds it any more, then all that is kept of it goes. What was on its way meanwhile is
 * looked for once more when nothing can come after it, until nothing is found. A run that dies is made again, and goes on
 * with what is left.
 */
export const runErasure = async (deps: JobDeps, job: DataJob, timeLeft: () => number): Promise<void> => {
  const { store, now, enqueue, failpoint } = deps;
  if (!job.isGone) {
    await vanish(deps, job);
    await store.dataJobs.gone(job, now());
  }
  failpoint('erasure.gone');
  const leads = await store.subjects.leads(job);
  const isExported = await dropExports(deps, job);
  const { erased, left } = await eraseAll(deps, job, leads, timeLeft);
  failpoint('erasure.erased');
  if (left === 'time') return enqueue([runJob(job)]);
  const settled = job.createDate + SETTLED_AFTER;
  if (left === 'nothing' && erased === 0 && !isExported && now() >= settled) return complete(deps, job, leads);
  await store.dataJobs.again(job, Math.max(settled, now() + SOON));
};
