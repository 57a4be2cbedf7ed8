import { serve } from '#shared/api/serve.ts';
import { type DataJob, EXPORT_RETENTION, erasureView, exportView } from '#shared/domain/identity/data-job.ts';
import { beginJob } from './begin-job.ts';
import { personalData } from './contract.ts';

/** How long (ms) a response waits until the subject of an erasure is inaccessible. Most are as fast as their queue. */
const GONE_TIMEOUT_MS = 8_000;
const POLL_MS = 100;

/** Returns the URL of the file of an export, or null if it does not exist or has expired. */
const fileUrl = async (job: DataJob, urlOf: (file: string) => Promise<string>, now: number): Promise<string | null> =>
  job.file !== undefined && now < job.updateDate + EXPORT_RETENTION ? urlOf(job.file) : null;

export const handler = serve(personalData, {
  createExport: async (call, deps) => exportView(await beginJob('export', call, deps), null),

  listExports: async ({ customerId }, { store, urlOfExport, now }) => {
    const jobs = await store.dataJobs.list(customerId, 'export');
    return Promise.all(jobs.map(async (job) => exportView(job, await fileUrl(job, urlOfExport, now()))));
  },

  getExport: async ({ customerId, params, fail }, { store, urlOfExport, now }) => {
    const job = await store.dataJobs.get({ customerId, kind: 'export', id: params.exportId });
    return job ? exportView(job, await fileUrl(job, urlOfExport, now())) : fail('job_not_found');
  },

  createErasure: async (call, deps) => {
    const { store, now, pause } = deps;
    let job = await beginJob('erasure', call, deps);
    for (const until = now() + GONE_TIMEOUT_MS; !job.isGone && now() < until; await pause(POLL_MS))
      job = (await store.dataJobs.get(job)) ?? job;
    return erasureView(job);
  },

  listErasures: async ({ customerId }, { store }) =>
    (await store.dataJobs.list(customerId, 'erasure')).map(erasureView),

  getErasure: async ({ customerId, params, fail }, { store }) => {
    const job = await store.dataJobs.get({ customerId, kind: 'erasure', id: params.erasureId });
    return job ? erasureView(job) : fail('job_not_found');
  },
});
