import { serve } from '#shared/api/serve.ts';
import { type DataJob, EXPORT_KEPT, erasureView, exportView } from '#shared/domain/identity/data-job.ts';
import { begin } from './begin.ts';
import { personalData } from './contract.ts';

/** How long (ms) an erasure is awaited until nobody finds its subject: most are as fast as their queue. */
const GONE_WITHIN_MS = 8_000;
const LOOK_MS = 100;

/** Where the result of an export is, for as long as it is kept. */
const addressOf = async (
  job: DataJob,
  urlOf: (file: string) => Promise<string>,
  now: number,
): Promise<string | null> => (job.file !== undefined && now < job.updateDate + EXPORT_KEPT ? urlOf(job.file) : null);

export const handler = serve(personalData, {
  createExport: async (call, deps) => exportView(await begin('export', call, deps), null),

  listExports: async ({ customerId }, { store, urlOfExport, now }) => {
    const all = await store.dataJobs.list(customerId, 'export');
    return Promise.all(all.map(async (job) => exportView(job, await addressOf(job, urlOfExport, now()))));
  },

  getExport: async ({ customerId, params, fail }, { store, urlOfExport, now }) => {
    const job = await store.dataJobs.get({ customerId, kind: 'export', id: params.exportId });
    return job ? exportView(job, await addressOf(job, urlOfExport, now())) : fail('job_not_found');
  },

  createErasure: async (call, deps) => {
    const { store, now, pause } = deps;
    let job = await begin('erasure', call, deps);
    for (const until = now() + GONE_WITHIN_MS; !job.isGone && now() < until; await pause(LOOK_MS))
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
