import { type DataJob, EXPORT_RETENTION } from '#shared/domain/identity/data-job.ts';
import type { RunJob } from '#shared/queue/run-job.ts';
import { consume } from '#shared/worker/consume.ts';
import { dataJobs } from './contract.ts';
import type { JobDeps } from './deps.ts';
import { runErasure } from './erasure.ts';
import { runExport } from './export.ts';
import { runRequest } from './request.ts';

/**
 * The delay (ms) before a job runs again. Exceeds the maximum run time, so the sweep does not start a concurrent run.
 */
const RUN_MS = (dataJobs.timeoutSeconds + 60) * 1_000;

/** Deletes an export file after it has expired. A task enqueued before the export ended may arrive too early. */
const dropResult = async ({ store, exports, now }: JobDeps, job: DataJob): Promise<void> => {
  const keptUntil = job.updateDate + EXPORT_RETENTION;
  if (job.file && now() < keptUntil) return store.dataJobs.schedule(job, keptUntil);
  if (job.file) await exports.remove(job.file);
  await store.dataJobs.dropFile(job);
};

/** Runs or continues a job. */
export const runJob = async (
  { customerId, kind, jobId }: RunJob,
  deps: JobDeps,
  timeLeft: () => number,
): Promise<void> => {
  const { store, now } = deps;
  if (kind === 'import') {
    // Loaded on first use, because only imports need emails and passwords.
    const { runImport } = await import('./import.ts');
    return runImport(deps, { customerId, id: jobId }, { retry: now() + RUN_MS, timeLeft });
  }
  const job = await store.dataJobs.get({ customerId, kind, id: jobId });
  if (!job) return;
  if (job.state === 'requested') return runRequest(deps, job);
  if (job.state !== 'running') return dropResult(deps, job);
  await store.dataJobs.schedule(job, now() + RUN_MS);
  return kind === 'export' ? runExport(deps, job) : runErasure(deps, job, timeLeft);
};

export const handler = consume(dataJobs, async ([received], deps, timeLeft) => {
  if (received) await runJob(received.task, deps, timeLeft);
});
