import { serve } from '#shared/api/serve.ts';
import { erasureView, exportView, fileUntil, mayExport } from '#shared/domain/identity/data-job.ts';
import { beginJob } from './begin-job.ts';
import { personalData } from './contract.ts';

/**
 * How long (ms) a response waits for the subject of an erasure to become inaccessible. Most take no longer than their
 * queue.
 */
const GONE_TIMEOUT_MS = 8_000;
const POLL_MS = 100;

export const handler = serve(personalData, {
  createExport: async (call, deps) => exportView(await beginJob('export', call, deps), deps.now()),

  listExports: async ({ customerId }, { store, now }) =>
    (await store.dataJobs.list(customerId, 'export')).map((job) => exportView(job, now())),

  getExport: async ({ caller, customerId, params, audited, fail }, { store, urlOfExport, now }) => {
    const job =
      (await store.dataJobs.get({ customerId, kind: 'export', id: params.exportId })) ?? fail('job_not_found');
    const { file } = job;
    const mayDownload = caller.kind === 'session' && mayExport(caller, job.subject);
    if (file === undefined || fileUntil(job, now()) === null || !mayDownload) return exportView(job, now());
    // Anybody with the URL can download the file, so each one is recorded before it is returned.
    await audited(() => store.dataJobs.recordUrl(job, now()));
    return exportView(job, now(), await urlOfExport(file));
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
