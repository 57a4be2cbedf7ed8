import { type DataJob, JOB_RETENTION, LAST_PASS_AFTER, startOf } from '#shared/domain/identity/data-job.ts';
import { runJobTask } from '#shared/domain/identity/job-kinds.ts';
import { RETENTION_DAYS } from '#shared/queue/consumer.ts';
import type { Lead } from '#shared/store/subjects/subjects.ts';
import type { JobDeps } from './deps.ts';
import { detachSubject } from './detach-subject.ts';
import { eraseItems } from './erase.ts';

const DAY = 86_400_000;
/** The pause (ms) before the next run of an incomplete erasure. */
const NEXT_RUN_MS = 60_000;

/** Returns how long traces remain in backups, in logs and elsewhere. */
const remains = ({ settings }: JobDeps, job: DataJob, now: number): DataJob['remains'] => {
  const after = (days: number) => (days === 0 ? null : now + days * DAY);
  return [
    { what: 'backups', until: after(settings.BACKUP_DAYS) },
    { what: 'logs', until: after(settings.LOG_DAYS) },
    { what: 'quarantine', until: after(RETENTION_DAYS) },
    ...(settings.OUTBOX_KINDS.length > 0 ? [{ what: 'outbox' as const, until: null }] : []),
    { what: 'list_of_erasures', until: startOf(job) + JOB_RETENTION },
  ];
};

/**
 * Allows an erased sensor to be linked again, unless other erasures of the same sensor are running. In that case, the
 * newest erasure waits for the others and then allows it. Returns false if this erasure has to wait.
 */
const allowReturn = async ({ store, now }: JobDeps, { id, customerId, subject }: DataJob): Promise<boolean> => {
  const others = (await store.dataJobs.list(customerId, 'erasure')).filter(
    (job) => job.state === 'running' && job.id !== id && job.subject.kind === 'sensor' && job.subject.id === subject.id,
  );
  if (others.length > 0) return others.some((job) => job.id > id);
  await store.subjects.markErased(customerId, String(subject.id), now(), false);
  return true;
};

const complete = async (deps: JobDeps, job: DataJob, leads: readonly Lead[]): Promise<void> => {
  const { store, now } = deps;
  if (job.subject.kind === 'sensor' && !(await allowReturn(deps, job)))
    return store.dataJobs.schedule(job, now() + NEXT_RUN_MS);
  for (const lead of leads) await store.subjects.dropLead(job, lead);
  const how = { state: 'completed', updateDate: now(), remains: remains(deps, job, now()) } as const;
  await store.dataJobs.end(job, how, null);
};

/**
 * Deletes all of the customer's exports, which may include the subject. Returns true while an export is running, because
 * it may already have read data that has been erased since.
 */
const dropExports = async ({ store, exports }: JobDeps, { customerId }: DataJob): Promise<boolean> => {
  const jobs = await store.dataJobs.list(customerId, 'export');
  for (const made of jobs) {
    if (made.file === undefined) continue;
    await exports.remove(made.file);
    await store.dataJobs.dropFile(made);
  }
  return jobs.some(({ state }) => state === 'running');
};

/**
 * Erases a subject, first by making it unreachable, then by deleting all the data. Further runs find data written in
 * the meantime, until a run that starts after the last possible write finds nothing. After a crash, the next run
 * continues with what is left.
 */
export const runErasure = async (deps: JobDeps, job: DataJob, timeLeft: () => number): Promise<void> => {
  const { store, now, enqueue, failpoint } = deps;
  if (!job.isGone) {
    await detachSubject(deps, job);
    await store.dataJobs.recordSubjectGone(job, now());
  }
  failpoint('erasure.gone');
  const leads = await store.subjects.leads(job);
  const isExported = await dropExports(deps, job);
  const { erased, left } = await eraseItems(deps, job, leads, timeLeft);
  failpoint('erasure.erased');
  if (left === 'time') return enqueue([runJobTask(job)]);
  const settled = startOf(job) + LAST_PASS_AFTER;
  if (left === 'nothing' && erased === 0 && !isExported && now() >= settled) return complete(deps, job, leads);
  await store.dataJobs.schedule(job, Math.max(settled, now() + NEXT_RUN_MS));
};
